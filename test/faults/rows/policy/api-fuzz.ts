// Every request to the gateway, with additional fields that name a program or a server: nothing is started.
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { existsSync, readdirSync } from "node:fs";
import { askModern, type McpSession, openMcpSession } from "../../../support/mcp-http.js";
import { type ServedGateway, openServedGateway, tokenEntry, tokenOf } from "../../support/served-gateway.js";
import { descendantsOf } from "../../support/census.js";
import type { Json } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { createRandom, type Random } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const METHODS = [
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/read",
  "resources/subscribe",
  "resources/templates/list",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "logging/setLevel",
  "tasks/get",
  "tasks/update",
  "server/discover",
  "initialize",
  "roots/list",
  "servers/add",
  "config/reload",
] as const;
/** The built-in tools with their arguments. */
const USUAL: Readonly<Record<string, Json>> = {
  list_mcp_servers: {},
  search_tools: { query: "read" },
  list_tools: { server: "one" },
  get_tool_details: { server: "one", tool: "read" },
  execute_tool: { server: "one", tool: "read", arguments: { id: "fuzz" }, options: {} },
  "gateway.intent": { prompt: "read" },
  "gateway.execute": { tool_id: "one:read", params: { id: "fuzz" }, options: {} },
  "gateway.adapters": {},
  "gateway.tools": { adapter: "one" },
  "gateway.reference": {},
};
const PATHS = [
  "/api/servers",
  "/api/adapters",
  "/api/adapters/one/tools",
  "/api/adapters/one/tools/read",
  "/api/adapters/anygpt/tools/discover",
  "/api/search?q=read",
  "/api/config",
  "/api/reload",
  "/mcp/p/x",
  "/openapi.json",
  "/metrics",
] as const;
const PLACES = [
  "",
  "connection",
  "server",
  "config",
  "options",
  "arguments",
  "params",
  "_meta",
  "servers",
  "mcpServers",
  "target",
] as const;

/** `count`: the number of requests. */
export async function apiFuzz({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  const listener = await listen();
  try {
    return await inHome(async (home) => {
      home.configure(
        { one: home.stdio("one") },
        { http: { port: 0, tokens: [tokenEntry("agent", { scopes: ["*"] })] } },
      );
      const gateway = await openServedGateway(home, { dist });
      const caller = { url: gateway.url, token: tokenOf("agent") };
      const warm = { server: "one", tool: "read", arguments: { id: "warm" } };
      await askModern(caller, "tools/call", { name: "execute_tool", arguments: warm });
      const before = await takeStock(home, gateway);
      const random = createRandom(seed);
      const session = await openMcpSession(caller);
      const marker = home.path("marker");
      const seen = new Set<number>();
      const statuses: Record<string, number> = {};
      for (let number = 0; number < count; number += 1) {
        const fields = toFields(random, { marker, port: listener.port, folder: home.folder });
        const status = await send({ gateway, session, random, fields });
        statuses[status] = (statuses[status] ?? 0) + 1;
        for (const pid of descendantsOf(gateway.pid)) seen.add(pid);
        if ((number + 1) % 500 === 0) onProgress?.(`${number + 1} of ${count} requests`);
      }
      const after = await takeStock(home, gateway);
      const started = [...seen].filter((pid) => !before.pids.includes(pid));
      await gateway.stop();
      const violations = [
        ...(existsSync(marker) ? ["a program named in a request was executed"] : []),
        ...started.map((pid) => `process ${pid} was started`),
        ...(listener.connections() === 0
          ? []
          : [`${listener.connections()} connections to an address named in a request`]),
        ...(before.servers === after.servers ? [] : [`the servers are ${after.servers} instead of ${before.servers}`]),
        ...(before.files === after.files ? [] : [`the files are ${after.files} instead of ${before.files}`]),
        ...(statuses["500"] === undefined ? [] : [`${statuses["500"]} requests ended in 500`]),
      ];
      const figures = { spawns: started.length, connections: listener.connections(), ...statuses };
      return {
        title: "requests that name programs and servers",
        n: count,
        injected: count,
        violations,
        figures,
      };
    });
  } finally {
    await listener.close();
  }
}

async function listen() {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

async function takeStock(home: FaultHome, { url, token, pid }: ServedGateway) {
  const response = await fetch(`${url}/api/servers`, { headers: { authorization: `Bearer ${token}` } });
  const { servers = [] } = (await response.json()) as { servers?: { name: string }[] };
  return {
    pids: descendantsOf(pid),
    servers: servers.map(({ name }) => name).join(),
    files: readdirSync(home.folder).join(),
  };
}

interface Bait {
  readonly marker: string;
  readonly port: number;
  readonly folder: string;
}

function toFields(random: Random, { marker, port, folder }: Bait): Json {
  const url = `http://127.0.0.1:${port}/mcp`;
  const program = random.pick<Json>([
    { command: "touch", args: [marker] },
    { command: `touch ${marker}` },
    { command: ["touch", marker] },
    { type: "stdio", command: "/bin/sh", args: ["-c", `touch ${marker}`], env: { LD_PRELOAD: "/x.so" }, cwd: folder },
    { url, type: random.pick(["http", "sse"]), headers: { authorization: "Bearer x" } },
    { url, command: "touch", args: [marker], name: "evil" },
    { document: url, baseUrl: url },
    { env: { NODE_OPTIONS: `--import ${marker}`, PATH: folder }, cwd: "/" },
  ]);
  const place = random.chance(0.5) ? "" : random.pick(PLACES);
  if (place === "") return program;
  return place.endsWith("ervers") ? { [place]: { evil: program } } : { [place]: program };
}

interface Request {
  readonly gateway: ServedGateway;
  readonly session: McpSession;
  readonly random: Random;
  readonly fields: Json;
}

/** The HTTP status, or the JSON-RPC error code if there is one. */
async function send({ gateway, session, random, fields }: Request): Promise<string> {
  const caller = { url: gateway.url, token: tokenOf("agent") };
  if (random.chance(0.3)) {
    const method = random.pick(["GET", "POST", "PUT", "DELETE", "PATCH"]);
    const response = await fetch(`${gateway.url}${random.pick(PATHS)}`, {
      method,
      headers: { authorization: `Bearer ${caller.token}`, "content-type": "application/json" },
      ...(method === "GET" ? {} : { body: JSON.stringify({ id: "fuzz", ...fields }) }),
    });
    await response.arrayBuffer();
    return String(response.status);
  }
  const method = random.chance(0.6) ? "tools/call" : random.pick(METHODS);
  // Requests that execute something are tried most often.
  const tool = random.chance(0.5) ? random.pick(["execute_tool", "gateway.execute"]) : random.pick(Object.keys(USUAL));
  const params =
    method === "tools/call"
      ? { name: tool, arguments: withFields(USUAL[tool] ?? {}, { random, fields }) }
      : { name: "x", uri: "anygpt://x", ...fields };
  const path = tool.startsWith("gateway.") ? "/mcp/gateway" : "/mcp";
  const reply = random.chance(0.5)
    ? await askModern({ ...caller, path }, method, params)
    : await session.ask(method, params);
  return reply.answer.error === undefined ? String(reply.status) : String(reply.answer.error.code);
}

/** Next to the tool's arguments, inside one of them, or in place of a server's name. */
function withFields(usual: Json, { random, fields }: Pick<Request, "random" | "fields">): Json {
  const inner = Object.keys(usual).filter((name) => typeof usual[name] === "object");
  const named: string[] = Object.keys(usual).filter((name) => name === "server" || name === "adapter");
  const chosen = random.pick<string | undefined>([undefined, ...inner, ...named]);
  if (chosen === undefined) return { ...usual, ...fields };
  if (named.includes(chosen)) return { ...usual, [chosen]: random.pick<unknown>(["evil", "anygpt", fields]) };
  return { ...usual, [chosen]: { ...(usual[chosen] as Json), ...fields } };
}
