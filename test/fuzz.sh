#!/usr/bin/env bash
# Runs fuzz targets, each for a while, two at a time: fuzz.sh GO TIME all|named
#
# named are those of what hostile bytes meet first, which every change runs. Each
# package's targets are built once. The line of a target is its last; of one that
# fails all is shown, and where its input was put.
set -euo pipefail
cd "$(dirname "$0")/.."
go=$1 time=$2 which=${3:-all}
root=$PWD work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

named() {
  cat <<'END'
./protocol FuzzParseRequest
./protocol/rawjson FuzzCheckWalkCanonical
./redact/hidden FuzzClean
./redact FuzzResult
./redact/skim FuzzNext
./schema FuzzCompileCheck
./protocol/headers FuzzHeaderCodec
./upstream/sse FuzzReader
./config FuzzLoad
./proxy/lists/cursor FuzzCursor
./proxy/state FuzzOpen
END
}

every() {
  grep -rn --include='*_test.go' -oE '^func Fuzz[A-Za-z0-9]+' . |
    sed -E 's|^(.*)/[^/]+\.go:[0-9]+:func (.*)$|\1 \2|' | grep -vE '^\./test/(clients|secrets)' | sort -u
}

# build PACKAGE: its test binary, instrumented, named after its path.
build() { "$go" test -c -fuzz=. -o "$work/$(tr / . <<<"${1#./}").test" "$1"; }

# run PACKAGE TARGET
run() {
  local pkg=$1 target=$2 log=$work/$2.log
  log=$work/$(tr / . <<<"${pkg#./}").$target.log
  if (cd "$root/$pkg" && "$work/$(tr / . <<<"${pkg#./}").test" -test.run '^$' -test.fuzz "^$target\$" \
    -test.fuzztime "$time" -test.parallel 1 -test.fuzzcachedir "$work/corpus/$pkg") >"$log" 2>&1; then
    echo "fuzz: $pkg $target: $(grep -E '^fuzz: elapsed' "$log" | tail -n 1 | sed 's/^fuzz: //')"
  else
    echo "fuzz: $pkg $target: FAILED"
    cat "$log"
    return 1
  fi
}
export -f run
export root work time

if [[ $which == named ]]; then named; else every; fi >"$work/targets"
for pkg in $(cut -d' ' -f1 "$work/targets" | sort -u); do build "$pkg"; done
test -s "$work/targets"
xargs -P 2 -L 1 bash -c 'run "$0" "$1"' <"$work/targets" || { echo "fuzz: something failed"; exit 1; }
echo "fuzz targets run: $(wc -l <"$work/targets"), $time each"
