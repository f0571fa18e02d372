import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createIssuer } from "../rest/certificate.js";
import { eventually } from "../support/eventually.js";
import { createHome, DISCOVERY, type Home, nodeServer, ROOT } from "../support/gateway.js";
import { type HttpServer, startHttpServer } from "../support/upstreams.js";

const NAME = "mcp.example.com";
const ADDRESS = `https://${NAME}/mcp`;
const FIND = {
  name: "find-it",
  description: "Finds a lost umbrella.",
  inputSchema: { type: "object", properties: { q: { type: "string" } } },
  annotations: { readOnlyHint: true },
};

let home: Home;
let plain: HttpServer;
let outside: Server;
let client: Client | undefined;
let answer: object;
let questions: string[];

beforeEach(async () => {
  home = createHome({});
  answer = { action: "accept", content: { confirm: true } };
  questions = [];
  writeFileSync(join(home.folder, "tools.json"), JSON.stringify([FIND]));
  plain = await startHttpServer("keyed-http.mjs", join(home.folder, "tools.json"));
  const issuer = createIssuer();
  outside = createServer(issuer.issue({ dns: [NAME] }), (incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const onward = request(`${plain.origin}${url}`, { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => outside.listen(0, "127.0.0.1", resolve));
  writeFileSync(join(home.folder, "ca.pem"), issuer.cert);
  Object.assign(home.env, {
    NODE_OPTIONS: `--import=${pathToFileURL(join(ROOT, "test/support/outside.mjs")).href}`,
    NODE_EXTRA_CA_CERTS: join(home.folder, "ca.pem"),
    OUTSIDE_NAME: NAME,
    OUTSIDE_PORT: String((outside.address() as AddressInfo).port),
  });
});
afterEach(async () => {
  await client?.close();
  client = undefined;
  outside.closeAllConnections();
  await new Promise((resolve) => outside.close(resolve));
  await plain.stop();
  home.remove();
});

interface Reported {
  readonly text: string;
  readonly error?: { code: string };
  readonly [member: string]: unknown;
}
type Call = (name: string, args: object) => Promise<Reported>;

/** The official client; the user gives `answer` to every elicitation. */
async function connect(options: ClientOptions): Promise<Call> {
  const own = new Client(
    { name: "test", version: "1.0.0" },
    { ...options, capabilities: { elicitation: { form: {} } } },
  );
  own.setRequestHandler("elicitation/create", ({ params }) => {
    questions.push(params.message);
    return answer as { action: "decline" };
  });
  const command = nodeServer(DISCOVERY);
  await own.connect(new StdioClientTransport({ ...command, cwd: home.folder, env: home.env, stderr: "ignore" }));
  client = own;
  return async (name, args) => {
    const { content } = await own.callTool({ name, arguments: { ...args } });
    const text = content.map((item) => ("text" in item ? item.text : "")).join("");
    return { text, ...(text.startsWith("{") ? (JSON.parse(text) as object) : {}) };
  };
}

const folder = () => join(home.folder, ".ai/tools/mcp");
const own = (call: Call, tool: string, args: unknown): Promise<Reported> =>
  call("execute_tool", { server: "anygpt", tool, arguments: args });

describe.each<[string, ClientOptions]>([
  ["the handshake", {}],
  ["2026-07-28", { versionNegotiation: { mode: { pin: "2026-07-28" } } }],
])("with %s, the built-in tools", (_era, options) => {
  const discovered = async (call: Call): Promise<Reported> => {
    const found = await own(call, "mcp_discover", { url: ADDRESS, name: "lost" });
    expect(found).toMatchObject({ success: true, write_tools: { url: ADDRESS, files: ["lost_find_it.yaml"] } });
    expect(questions).toEqual([]);
    return found;
  };

  it("write nothing when the user declines", async () => {
    const call = await connect(options);
    const found = await discovered(call);
    answer = { action: "decline" };
    expect(await own(call, "mcp_write_tools", found["write_tools"])).toMatchObject({
      error: { code: "POLICY_DENIED" },
    });
    expect(existsSync(folder())).toBe(false);
    expect(questions).toHaveLength(1);
    for (const shown of ["anygpt:mcp_write_tools", ADDRESS, "lost_find_it.yaml", "~/.ai/tools/mcp"]) {
      expect(questions[0]).toContain(shown);
    }
  });

  it("write the files of a public server after the user has accepted", async () => {
    const call = await connect(options);
    const found = await discovered(call);
    expect(await own(call, "mcp_write_tools", found["write_tools"])).toMatchObject({
      success: true,
      tools_created: ["lost_find_it"],
    });
    expect(readdirSync(folder())).toEqual(["lost_find_it.yaml"]);
    expect(readFileSync(join(folder(), "lost_find_it.yaml"), "utf8")).toContain(`url: ${ADDRESS}`);
    await eventually(async () => (await call("search_tools", { query: "lost umbrella" })).text.includes("find-it"));
    const ran = await call("execute_tool", { server: "lost", tool: "lost_find_it", arguments: { q: "x" } });
    expect(ran.text).toBe('find-it {"q":"x"}');
  });

  it("call a tool of a public server after the user has accepted", async () => {
    const call = await connect(options);
    const args = { url: ADDRESS, tool: "find-it", params: { q: "x" } };
    expect(await own(call, "mcp_call", args)).toMatchObject({
      success: true,
      content: [{ type: "text", text: 'find-it {"q":"x"}' }],
    });
    expect(questions).toEqual([expect.stringContaining(ADDRESS)]);
  });
});
