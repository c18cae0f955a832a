#!/usr/bin/env bash
# Holds the rules for secrets against gitleaks: run.sh GO
set -euo pipefail
cd "$(dirname "$0")"
go=${1:-go}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$go" mod download github.com/zricethezav/gitleaks/v8
from=$("$go" list -m -f '{{.Dir}}' github.com/zricethezav/gitleaks/v8)
cp -r "$from" "$work/gitleaks"
chmod -R u+w "$work/gitleaks"
cp samples.go.txt "$work/gitleaks/cmd/generate/config/utils/validate.go"
# All rules that its own generator makes.
{
  echo "package rules"
  echo 'import "github.com/zricethezav/gitleaks/v8/config"'
  echo "func All() []func() *config.Rule { return []func() *config.Rule{"
  grep -oE 'rules\.[A-Za-z0-9]+\(\)' "$work/gitleaks/cmd/generate/config/main.go" | sort -u | sed -E 's/rules\.(.*)\(\)/\1,/'
  echo "} }"
} >"$work/gitleaks/cmd/generate/config/rules/all.go"
cp go.mod "$work/alt.mod"
cp go.sum "$work/alt.sum"
root=$(cd ../.. && pwd)
"$go" mod edit -replace "github.com/zricethezav/gitleaks/v8=$work/gitleaks" -replace "mcp-gateway=$root" "$work/alt.mod"
"$go" test -count=1 -v -modfile "$work/alt.mod" ./...
