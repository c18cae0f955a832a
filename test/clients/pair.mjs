// One client of the TypeScript family, over one transport: it must speak the
// revision it is known for, see what its principal may see, and make two calls.
//
//   pair.mjs CLIENT http|stdio
//
// CLIENT is v1, v2-legacy, v2-auto, v2-modern, inspector-legacy, inspector-auto
// or inspector-modern. It prints the revision that was agreed on, where the
// client tells it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { GATEWAY_URL: url, GATEWAY_CALLS: path, GATEWAY_MODULES: modules, GATEWAY_KEY_READER: key, GATEWAY_COMMAND: command, GATEWAY_SERVERS: servers } = process.env;
const [, , name, transport] = process.argv;
const scope = `${modules}/@modelcontextprotocol`;
const load = (file) => import(pathToFileURL(`${scope}/${file}`));
const info = { name: "clients-test", version: "1" };
const headers = { Authorization: `Bearer ${key}` };
const { sees: { reader: sees } } = JSON.parse(readFileSync(path, "utf8"));
const message = `grüße, ${name} over ${transport}`;

const [program, ...args] = JSON.parse(command);
const child = { command: program, args, stderr: "ignore" };

function door({ StreamableHTTPClientTransport, StdioClientTransport }) {
  if (transport === "stdio") return new StdioClientTransport(child);
  assert.equal(transport, "http");
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
}

async function v1() {
  const { Client } = await load("sdk/dist/esm/client/index.js");
  const { StreamableHTTPClientTransport } = await load("sdk/dist/esm/client/streamableHttp.js");
  const { StdioClientTransport } = await load("sdk/dist/esm/client/stdio.js");
  const client = new Client(info);
  let revision;
  const way = door({ StreamableHTTPClientTransport, StdioClientTransport });
  way.setProtocolVersion = ((set) => (v) => { revision = v; set?.call(way, v); })(way.setProtocolVersion);
  await client.connect(way);
  return { client, revision: () => revision, want: "2025-11-25" };
}

async function v2(mode) {
  const { Client, StreamableHTTPClientTransport } = await load("client/dist/index.mjs");
  const { StdioClientTransport } = await load("client/dist/stdio.mjs");
  const negotiation = { legacy: "legacy", auto: "auto", modern: { pin: "2026-07-28" } }[mode];
  const client = new Client(info, { versionNegotiation: { mode: negotiation } });
  await client.connect(door({ StreamableHTTPClientTransport, StdioClientTransport }));
  return { client, revision: () => client.getNegotiatedProtocolVersion(), want: mode === "legacy" ? "2025-11-25" : "2026-07-28" };
}

// inspector runs its command line once for each request.
function inspector(era) {
  const ask = (...more) => JSON.parse(execFileSync(process.execPath, [
    `${scope}/inspector/clients/launcher/build/index.js`, "--cli", "--config", servers, "--server", transport,
    "--protocol-era", era, "--format", "json", "-q", ...more,
  ], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }));
  const result = (answer) => answer.result ?? answer;
  return {
    client: {
      listTools: () => result(ask("--method", "tools/list")),
      callTool: ({ name: tool, arguments: a }) => result(ask("--method", "tools/call", "--tool-name", tool, "--tool-args-json", JSON.stringify(a))),
      close() {},
    },
  };
}

const [family, mode] = name.split("-");
const { client, revision, want } = await { v1, v2, inspector }[family](mode);
try {
  if (revision) assert.equal(revision(), want);
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((t) => t.name), sees);
  const echo = await client.callTool({ name: "everything__echo", arguments: { message } });
  assert.equal(echo.content[0].text, `Echo: ${message}`);
  const status = await client.callTool({ name: "incident__get_service_status", arguments: { service: "payments", window_minutes: 5 } });
  assert.equal(status.structuredContent.error_rate, 0.182);
  console.log(want ?? mode);
} finally {
  await client.close();
}
