import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { JsonObject } from "../../src/model/json.js";
import { errorOf } from "./error-of.js";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const DISCOVERY = join(ROOT, "bin/discovery.js");
export const ANYGPT = join(ROOT, "bin/anygpt.js");

/** A server of test/servers, or one from npm, for the configuration. */
export function nodeServer(file: string, ...args: string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: [file, ...args] };
}
export const testServer = (name: string, ...args: string[]) => nodeServer(join(ROOT, "test/servers", name), ...args);
export const npmServer = (name: string, ...args: string[]) =>
  nodeServer(join(ROOT, "node_modules/@modelcontextprotocol", `server-${name}`, "dist/index.js"), ...args);

/** An empty home folder with a configuration. */
export interface Home {
  readonly folder: string;
  readonly config: string;
  readonly env: Record<string, string>;
  remove(): void;
}

export function createHome(config: object): Home {
  const folder = mkdtempSync(join(tmpdir(), "anygpt-e2e-"));
  const file = join(folder, "config.json");
  writeFileSync(file, JSON.stringify(config));
  return {
    folder,
    config: file,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, ANYGPT_HOME: join(folder, "state"), ANYGPT_DAEMON: "0" },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export interface GatewayAnswer {
  readonly text: string;
  readonly isError: boolean;
  /** The error of the gateway with all its details. */
  readonly error: JsonObject | undefined;
  json(): unknown;
}

export interface Gateway {
  readonly client: Client;
  readonly pid: number;
  /** Resolves when the gateway writes a line with this text to standard error. */
  logged(text: string): Promise<void>;
  call(name: string, args: object): Promise<GatewayAnswer>;
  close(): Promise<void>;
}

/** The built gateway, driven by the official client. */
export async function connectGateway(home: Home, options: ClientOptions = {}): Promise<Gateway> {
  const client = new Client({ name: "test", version: "1.0.0" }, options);
  const transport = new StdioClientTransport({
    ...nodeServer(DISCOVERY, "--config", home.config),
    env: home.env,
    stderr: "pipe",
  });
  const lines = createInterface({ input: transport.stderr as Readable });
  await client.connect(transport);
  return {
    client,
    pid: transport.pid ?? 0,
    logged: (text) =>
      new Promise((resolve) => lines.on("line", (line) => (line.includes(text) ? resolve() : undefined))),
    async call(name, args) {
      const result = await client.callTool({ name, arguments: { ...args } });
      const text = result.content.map((item) => ("text" in item ? item.text : `[${item.type}]`)).join("\n");
      return {
        text,
        isError: result.isError === true,
        error: errorOf(result),
        json: () => JSON.parse(text) as unknown,
      };
    },
    close: () => client.close(),
  };
}

/** The gateway as raw lines, for input that a client library would not send. */
export interface RawGateway {
  readonly process: ChildProcessWithoutNullStreams;
  send(message: object | string): void;
  /** The next line with this id. */
  answer(
    id: string | number | null,
  ): Promise<{ line: string; result?: Record<string, unknown>; error?: { code: number; message: string } }>;
  exit: Promise<number | null>;
}

export function spawnGateway(home: Home): RawGateway {
  const child = spawn(process.execPath, [DISCOVERY, "--config", home.config], { env: home.env });
  const lines: { id?: unknown; line: string }[] = [];
  const waiting: (() => void)[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    // A killed process may leave an incomplete line.
    if (!line.endsWith("}")) return;
    lines.push({ ...(JSON.parse(line) as object), line });
    for (const wake of waiting.splice(0)) wake();
  });
  child.stderr.resume();
  child.stdin.on("error", () => undefined);
  const exit = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  let isOver = false;
  void exit.then(() => {
    isOver = true;
    for (const wake of waiting.splice(0)) wake();
  });
  return {
    process: child,
    exit,
    send: (message) =>
      void child.stdin.write(
        `${typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message })}\n`,
      ),
    async answer(id) {
      for (;;) {
        const index = lines.findIndex((one) => one.id === id);
        if (index !== -1) return lines.splice(index, 1)[0] as never;
        if (isOver) throw new Error(`The gateway ended without answering ${id}.`);
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
  };
}

export const INITIALIZE = {
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

/** All descendants of a process, from /proc. */
export function descendantsOf(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (state !== "Z") children.set(Number(parent), [...(children.get(Number(parent)) ?? []), Number(entry)]);
    } catch {
      // The process exited in the meantime.
    }
  }
  const found: number[] = [];
  const queue = [pid];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const own = children.get(next) ?? [];
    found.push(...own);
    queue.push(...own);
  }
  return found;
}

/** Processes whose command line contains the text: finds processes that are no longer descendants. */
export function processesWith(text: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
        return (
          readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text) &&
          stat.slice(stat.lastIndexOf(")") + 2)[0] !== "Z"
        );
      } catch {
        return false;
      }
    });
}
