import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { withDeadline } from "./deadline.js";
import type { FaultHome } from "./home.js";

const LOADD = fileURLToPath(new URL("./loadd.mjs", import.meta.url));
const START_LIMIT_MS = 30_000;

/** A stdio server for the configuration: each gateway starts a process. */
export function stdioLoad({ folder }: FaultHome, name: string, tools = 0): object {
  return { command: process.execPath, args: [LOADD, "stdio", folder, name, String(tools)] };
}

/** One process that serves any number of remote servers and APIs. */
export interface RemoteLoad {
  readonly pid: number;
  /** A server for the configuration that takes this long to list its tools. */
  server(name: string, listMs?: number): object;
  /** An adapter for the configuration: its one tool `read` is the operation of that name. */
  adapter(name: string): object;
}

export async function startRemoteLoad(home: FaultHome, tools = 0): Promise<RemoteLoad> {
  const child = spawn(process.execPath, [LOADD, "http", home.folder, String(tools)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  home.own(child);
  const reported = new Promise<string>((resolve) => child.stdout.once("data", (line: Buffer) => resolve(String(line))));
  const address = `http://127.0.0.1:${(await withDeadline(reported, START_LIMIT_MS, "a server's start")).trim()}`;
  return {
    pid: child.pid ?? 0,
    server: (name, listMs = 0) => ({ url: `${address}/mcp/${name}${listMs > 0 ? `/${listMs}` : ""}` }),
    adapter(name) {
      const document = home.path(`${name}.openapi.json`);
      writeFileSync(document, JSON.stringify(toDocument(name, tools)));
      return { document, baseUrl: `${address}/api/${name}` };
    },
  };
}

function toDocument(title: string, tools: number): object {
  const parameters = ["id", "delay"].map((name) => ({
    name,
    in: "query",
    schema: { type: name === "id" ? "string" : "integer" },
  }));
  const toOperation = (operationId: string): object => ({
    get: { operationId, summary: "Reads something.", parameters, responses: { 200: { description: "Done." } } },
  });
  const names = ["read", ...Array.from({ length: tools + 1 }, (_, number) => `read_${number}`)];
  return {
    openapi: "3.0.3",
    info: { title, version: "1.0.0" },
    paths: Object.fromEntries(names.map((name) => [`/${name}`, toOperation(name)])),
  };
}
