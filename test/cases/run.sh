#!/usr/bin/env bash
# Runs every case through a whole gateway. It shows what fails, and ends with the
# score as its last line.
set -euo pipefail
cd "$(dirname "$0")/../.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
"${GO:-go}" test -count=1 -parallel 8 -timeout 15m -v ./test/cases -all >"$log" 2>&1 </dev/null || status=$?
if ((status != 0)); then
  grep -vE '^ *(=== (RUN|PAUSE|CONT|NAME)|--- PASS)' "$log" || true
fi
grep -E '^(not run|pending|not applicable): ' "$log" || true
grep -E '^attacks [0-9]+/' "$log" || { echo "there is no score"; exit 1; }
exit "$status"
