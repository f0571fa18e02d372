import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { ANYGPT, createHome, type Home, testServer } from "../support/gateway.js";
import { inspectorIn } from "../support/inspector.js";

let home: Home;
let child: ChildProcess;
let url: string;
let token: string;
const stderr: string[] = [];

beforeAll(async () => {
  home = createHome({
    servers: {
      legacy: testServer("echo.mjs"),
      modern: testServer("modern.mjs"),
      bank: { ...testServer("ledger.mjs"), env: { LEDGER: "ledger.txt" } },
    },
    http: { port: 0 },
  });
  const made = await promisify(execFile)(process.execPath, [ANYGPT, "mcp", "token", "create", "team", "--json"], {
    env: home.env,
  });
  const { token: own, entry } = JSON.parse(made.stdout) as { token: string; entry: object };
  token = own;
  const config = JSON.parse(readFileSync(home.config, "utf8")) as { http: object };
  writeFileSync(home.config, JSON.stringify({ ...config, http: { ...config.http, tokens: [entry] } }));
  child = spawn(process.execPath, [ANYGPT, "mcp", "serve", "--http", "--config", home.config], {
    env: home.env,
    cwd: home.folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  createInterface({ input: child.stderr! }).on("line", (line) => stderr.push(line));
  const found = (): string | undefined => /MCP at (http:\S+)\./.exec(stderr.join("\n"))?.[1];
  await eventually(() => found() !== undefined);
  url = found() ?? "";
});

afterAll(async () => {
  child.kill("SIGKILL");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  home.remove();
});

const requestInit = () => ({ headers: { Authorization: `Bearer ${token}` } });
const echo = (server: string) => ({
  name: "execute_tool",
  arguments: { server, tool: "echo", arguments: { text: "hi" } },
});

describe("over HTTP, clients of both protocol eras reach servers of both eras", () => {
  it.each<[string, ConstructorParameters<typeof NewClient>[1], string]>([
    ["2026-07-28", { versionNegotiation: { mode: { pin: "2026-07-28" } } }, "2026-07-28"],
    ["version negotiation", { versionNegotiation: { mode: "auto" } }, "2026-07-28"],
    ["the handshake", {}, "2025-11-25"],
  ])("with %s", async (_, options, version) => {
    const client = new NewClient({ name: "new", version: "1" }, options);
    await client.connect(new NewTransport(new URL(url), { requestInit: requestInit() }));
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect((await client.listTools()).tools).toHaveLength(5);
    for (const server of ["legacy", "modern"]) {
      expect((await client.callTool(echo(server))).content).toEqual([{ type: "text", text: "hi" }]);
    }
    const seen: number[] = [];
    await client.callTool(
      { name: "execute_tool", arguments: { server: "legacy", tool: "sleep", arguments: { ms: 30, every: 10 } } },
      { onprogress: ({ progress }) => void seen.push(progress) },
    );
    expect(seen).toEqual([10, 20, 30]);
    await client.close();
  });

  it("with SDK v1, which closes its session", async () => {
    const client = new OldClient({ name: "old", version: "1" });
    const transport = new OldTransport(new URL(url), { requestInit: requestInit() });
    await client.connect(transport);
    expect((await client.listTools()).tools).toHaveLength(5);
    for (const server of ["legacy", "modern"]) {
      expect((await client.callTool(echo(server))).content).toEqual([{ type: "text", text: "hi" }]);
    }
    const { sessionId } = transport;
    await transport.terminateSession();
    await client.close();
    const headers = { ...requestInit().headers, accept: "text/event-stream", "mcp-session-id": sessionId ?? "" };
    expect((await fetch(url, { headers })).status).toBe(404);
  });

  it("and confirm a destructive call by elicitation", async () => {
    const client = new OldClient({ name: "old", version: "1" }, { capabilities: { elicitation: {} } });
    const asked: string[] = [];
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { confirm: true } };
    });
    await client.connect(new OldTransport(new URL(url), { requestInit: requestInit() }));
    const result = await client.callTool({
      name: "execute_tool",
      arguments: { server: "bank", tool: "delete", arguments: { name: "eve" } },
    });
    expect(result.content).toEqual([{ type: "text", text: "delete: eve" }]);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain("bank:delete");
    await client.close();
  });

  it("but not without a token or at an unknown path", async () => {
    const client = new NewClient({ name: "new", version: "1" });
    await expect(client.connect(new NewTransport(new URL(url)))).rejects.toThrow(/Unauthorized|401|no token/);
    const other = new NewClient({ name: "new", version: "1" });
    const nowhere = new NewTransport(new URL(`${url}/nowhere`), { requestInit: requestInit() });
    await expect(other.connect(nowhere)).rejects.toThrow(/404|The path does not exist/);
  });
});

it("over HTTP, the gateway works with the command line of the official MCP Inspector", async () => {
  const inspector = inspectorIn(home.folder);
  const inspect = async (...args: string[]) => {
    const words = [
      inspector,
      "--cli",
      url,
      "--transport",
      "http",
      "--header",
      `Authorization: Bearer ${token}`,
      ...args,
    ];
    const { stdout } = await promisify(execFile)(process.execPath, words, { env: home.env });
    return JSON.parse(stdout) as { tools?: object[]; content?: { text: string }[] };
  };
  expect((await inspect("--method", "tools/list")).tools).toHaveLength(5);
  const call = ["--method", "tools/call", "--tool-name", "execute_tool"];
  const args = ["server=legacy", "tool=add", 'arguments={"a":1,"b":2}'].flatMap((arg) => ["--tool-arg", arg]);
  expect((await inspect(...call, ...args)).content?.[0]?.text).toBe("3");
});

it("exits on a signal, and none of its output contains a token", async () => {
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  expect((await exit)[0]).toBe(0);
  const machine = readFileSync(join(home.folder, "state/http.token"), "utf8").trim();
  expect(stderr.join("\n")).not.toContain(token);
  expect(stderr.join("\n")).not.toContain(machine);
});
