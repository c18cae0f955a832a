// The calls of calls.json by the TypeScript client, held to revision 2026-07-28.
//
//   modern.mjs URL CALLS    with GATEWAY_KEY_OPERATOR and GATEWAY_KEY_READER
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

const { GATEWAY_URL: url, GATEWAY_CALLS: path, GATEWAY_MODULES: modules } = process.env;
const sdk = pathToFileURL(`${modules}/@modelcontextprotocol/client/dist/index.mjs`);
const { Client, StreamableHTTPClientTransport } = await import(sdk);
const { sees, calls } = JSON.parse(readFileSync(path, "utf8"));
const clients = {};

before(async () => {
  for (const name of Object.keys(sees)) {
    const key = process.env[`GATEWAY_KEY_${name.toUpperCase()}`];
    clients[name] = new Client({ name: "clients-test", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await clients[name].connect(new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { Authorization: `Bearer ${key}` } },
    }));
  }
});

after(() => Promise.all(Object.values(clients).map((c) => c.close())));

for (const [name, tools] of Object.entries(sees)) {
  test(`${name} speaks 2026-07-28 and sees ${tools.length} tools`, async () => {
    assert.equal(clients[name].getNegotiatedProtocolVersion(), "2026-07-28");
    assert.equal(clients[name].getServerVersion().name, "mcp-gateway");
    const list = await clients[name].listTools();
    assert.deepEqual(list.tools.map((t) => t.name), tools);
    assert.equal(list.cacheScope, "private");
    for (const t of list.tools) assert.equal(t.inputSchema.type, "object", t.name);
  });
}

test("a stranger is not let in", async () => {
  const stranger = new Client({ name: "clients-test", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await assert.rejects(stranger.connect(new StreamableHTTPClientTransport(new URL(url))));
});

for (const c of calls) {
  test(`${c.title}: ${c.tool}`, async () => {
    const { code, result } = await call(clients[c.as], c.tool, c.arguments);
    assert.equal(code, c.code);
    if (c.code !== undefined) return;
    assert.equal(result.isError ?? false, c.failed ?? false, JSON.stringify(result.content));
    if (c.structured !== undefined) assert.deepEqual(result.structuredContent, c.structured);
    if (c.text !== undefined) assert.ok(result.content[0].text.startsWith(c.text), result.content[0].text);
    if (c.image !== undefined) assert.ok(result.content.some((b) => b.type === "image" && b.mimeType === c.image && b.data.length > 0));
  });
}

// call returns the result, or the code by which the gateway refused: it stands
// in the data of a JSON-RPC error, or in the _meta of a tool result.
async function call(client, name, args) {
  try {
    const result = await client.callTool({ name, arguments: args });
    return { code: result._meta?.["mcp-gateway/error"]?.code, result };
  } catch (e) {
    if (e.data?.code === undefined) throw e;
    return { code: e.data.code };
  }
}
