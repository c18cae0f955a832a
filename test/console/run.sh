#!/usr/bin/env bash
# Holds the console in a real browser: run.sh GO [ARGUMENTS OF THE TEST]
set -euo pipefail
cd "$(dirname "$0")"
go=${1:-go}
shift || true
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || {
  echo "there is no Chromium; on Debian: apt-get install -y chromium" >&2
  exit 1
}
"$go" test -count=1 -v -timeout 5m ./... "$@"
