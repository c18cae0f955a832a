#!/usr/bin/env bash
# Runs every fuzz target of the module for a while: fuzz.sh GO TIME
set -euo pipefail
go=$1 time=$2
count=0
for pkg in $($go list ./...); do
  for target in $($go test -list '^Fuzz' "$pkg" | grep '^Fuzz' || true); do
    echo "== $pkg $target"
    $go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$pkg"
    count=$((count + 1))
  done
done
echo "fuzz targets run: $count"
test "$count" -gt 0
