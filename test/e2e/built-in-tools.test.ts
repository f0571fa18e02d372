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
/** The requests that reached the host outside. */
let received: string[];

beforeEach(async () => {
  home = createHome({});
  answer = { action: "accept", content: { confirm: true } };
  questions = [];
  received = [];
  writeFileSync(join(home.folder, "tools.json"), JSON.stringify([FIND]));
  plain = await startHttpServer("keyed-http.mjs", join(home.folder, "tools.json"));
  const issuer = createIssuer();
  outside = createServer(issuer.issue({ dns: [NAME] }), (incoming, outgoing) => {
    const { method, url, headers } = incoming;
    received.push(`${url} ${JSON.stringify(headers)}`);
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

/** The official client; the user gives `answer` to every elicitation, if the client has any. */
async function connect(options: ClientOptions, hasUser = true): Promise<Call> {
  const capabilities = hasUser ? { elicitation: { form: {} } } : {};
  const own = new Client({ name: "test", version: "1.0.0" }, { ...options, capabilities });
  if (hasUser) {
    own.setRequestHandler("elicitation/create", ({ params }) => {
      questions.push(params.message);
      return answer as { action: "decline" };
    });
  }
  const command = nodeServer(DISCOVERY, "--config", home.config);
  await own.connect(new StdioClientTransport({ ...command, cwd: home.folder, env: home.env, stderr: "ignore" }));
  client = own;
  return async (name, args) => {
    const result = await own.callTool({ name, arguments: { ...args } });
    const text = result.content.map((item) => ("text" in item ? item.text : "")).join("");
    return { text, ...(text.startsWith("{") ? (JSON.parse(text) as object) : {}) };
  };
}

const folder = () => join(home.folder, ".ai/tools/mcp");
const own = (call: Call, tool: string, args: unknown, options: object = {}): Promise<Reported> =>
  call("execute_tool", { server: "anygpt", tool, arguments: args, options });
/** The text of a question without the bars before its rows. */
const unquoted = (question = ""): string => question.replaceAll("\n│ ", "");

describe.each<[string, ClientOptions]>([
  ["the handshake", {}],
  ["2026-07-28", { versionNegotiation: { mode: { pin: "2026-07-28" } } }],
])("with %s, the built-in tools", (_era, options) => {
  const discovered = async (call: Call): Promise<Reported> => {
    const found = await own(call, "mcp_discover", { url: ADDRESS, name: "lost" });
    expect(found).toMatchObject({ success: true, write_tools: { url: ADDRESS, files: ["lost_find_it.yaml"] } });
    expect(questions.splice(0)).toEqual([expect.stringContaining(ADDRESS)]);
    return found;
  };

  it.each(["mcp_discover", "mcp_call"])("send nothing to an unknown host if the user declines (%s)", async (tool) => {
    const call = await connect(options);
    answer = { action: "decline" };
    const url = `${ADDRESS}?q=${"secret".repeat(20)}`;
    const headers = { "X-Note": `${"a".repeat(3000)} ${"b".repeat(3000)}` };
    const refused = await own(call, tool, { url, headers, tool: "find-it", params: { q: "the whole file" } });
    expect(refused).toMatchObject({ error: { code: "POLICY_DENIED" } });
    expect(received).toEqual([]);
    expect(questions).toHaveLength(1);
    expect(questions[0]).toContain(`This sends everything below to ${NAME}, a host that nobody has configured.`);
    expect(questions[0]).toMatch(/\nRisk: (?:high|destructive) /);
    for (const shown of [url, headers["X-Note"], "the whole file"]) expect(unquoted(questions[0])).toContain(shown);
  });

  it("send nothing to an unknown host because the caller confirms the call itself", async () => {
    const call = await connect(options, false);
    for (const tool of ["mcp_discover", "mcp_call"]) {
      for (const confirmed of [false, true, true]) {
        const refused = await own(call, tool, { url: ADDRESS, tool: "find-it" }, { confirmed });
        expect(refused).toMatchObject({
          error: { code: "CONFIRMATION_REQUIRED", hint: expect.stringContaining("anygpt mcp approve") as string },
        });
      }
    }
    expect(received).toEqual([]);
  });

  it("send a request to a configured host without a question, and do not tell which variables are set", async () => {
    Object.assign(home.env, { AWS_SECRET_ACCESS_KEY: "x", LISTED: "x" });
    const agents = { hosts: [NAME], variables: ["LISTED"] };
    writeFileSync(home.config, JSON.stringify({ toolFiles: { agents } }));
    const call = await connect(options);
    const ask = async (variable: string) =>
      (await own(call, "mcp_discover", { url: ADDRESS, auth_env_var: variable }))["env_requirements"];
    expect(await ask("LISTED")).toMatchObject([{ name: "LISTED", set: true }]);
    expect(await ask("AWS_SECRET_ACCESS_KEY")).toEqual([
      expect.not.objectContaining({ set: expect.anything() as unknown }),
    ]);
    expect(questions).toEqual([]);
    expect(received.length).toBeGreaterThan(0);
  });

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

it("a server that asks for a sign-in makes the gateway request nothing else", async () => {
  await plain.stop();
  const metadata = `Bearer resource_metadata="https://${NAME}/collect?everything"`;
  plain = await startHttpServer(
    "keyed-http.mjs",
    join(home.folder, "tools.json"),
    "Authorization",
    "Bearer t",
    metadata,
  );
  const call = await connect({});
  expect(await own(call, "mcp_discover", { url: ADDRESS })).toMatchObject({ error: { code: "UPSTREAM_UNAUTHORIZED" } });
  expect(new Set(received.map((one) => one.split(" ")[0]))).toEqual(new Set(["/mcp"]));
});
