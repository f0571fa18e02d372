import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { BUILT_IN_SERVER } from "../../src/model/built-in.js";
import type { JsonObject } from "../../src/model/json.js";
import { errorOf } from "./error-of.js";
import { eventually } from "./eventually.js";
import { DISCOVERY, nodeServer } from "./gateway.js";

/** A project folder and a home folder, and gateways that run in the project. */
export interface Project {
  readonly folder: string;
  readonly home: string;
  readonly env: Record<string, string>;
  path(name: string): string;
  write(name: string, content: string | object): string;
  /** Atomically, as editors do. */
  replace(name: string, content: string | object): void;
  open(...args: string[]): Promise<LiveGateway>;
  close(): Promise<void>;
}

export interface LiveGateway {
  readonly pid: number;
  /** Its standard error so far. */
  readonly lines: readonly string[];
  /** Resolves when this many lines contain the text. */
  logged(text: string, times?: number): Promise<void>;
  call(tool: string, args?: object): Promise<Answer>;
  execute(server: string, tool: string, args?: object): Promise<Answer>;
  /** The names of its servers, without the built-in server. */
  servers(): Promise<string[]>;
}

export interface Answer {
  readonly text: string;
  readonly isError: boolean;
  /** The error of the gateway with all its details. */
  readonly error: JsonObject | undefined;
}

export function createProject(env: Record<string, string> = {}): Project {
  const root = mkdtempSync(join(tmpdir(), "anygpt-project-"));
  const folder = join(root, "project");
  const home = join(root, "home");
  for (const one of [folder, home]) mkdirSync(one);
  const opened: Client[] = [];
  const path = (name: string): string => join(folder, name);
  const write = (name: string, content: string | object): string => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), typeof content === "string" ? content : JSON.stringify(content));
    return path(name);
  };
  const all = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    ANYGPT_HOME: join(home, ".anygpt"),
    ANYGPT_DAEMON: "0",
    ...env,
  };
  return {
    folder,
    home,
    env: all,
    path,
    write,
    replace(name, content) {
      renameSync(write(`${name}.new`, content), path(name));
    },
    async open(...args) {
      const { gateway, client } = await openGateway(args, folder, all);
      opened.push(client);
      return gateway;
    },
    async close() {
      for (const client of opened.splice(0)) await client.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Ends a call that hangs. Some tests hold calls much longer than the client's default timeout. */
const HANGING_MS = 600_000;

/** The built gateway in a folder, with a client that has connected to it. */
export async function openGateway(args: string[], cwd: string, env: Record<string, string>) {
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = new StdioClientTransport({ ...nodeServer(DISCOVERY, ...args), cwd, env, stderr: "pipe" });
  const lines: string[] = [];
  createInterface({ input: transport.stderr as Readable }).on("line", (line) => lines.push(line));
  await client.connect(transport);
  const call = async (name: string, given: object = {}): Promise<Answer> => {
    const result = await client.callTool({ name, arguments: { ...given } }, { timeout: HANGING_MS });
    const text = result.content.map((item) => ("text" in item ? item.text : "")).join("");
    return { text, isError: result.isError === true, error: errorOf(result) };
  };
  const gateway: LiveGateway = {
    pid: transport.pid ?? 0,
    lines,
    logged: (text, times = 1) => eventually(() => lines.filter((line) => line.includes(text)).length >= times),
    call,
    execute: (server, tool, given = {}) => call("execute_tool", { server, tool, arguments: given }),
    async servers() {
      const { text } = await call("list_mcp_servers");
      const names = (JSON.parse(text) as { servers: { name: string }[] }).servers.map(({ name }) => name);
      return names.filter((name) => name !== BUILT_IN_SERVER);
    },
  };
  return { gateway, client };
}
