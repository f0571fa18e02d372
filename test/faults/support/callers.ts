import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { withDeadline } from "./deadline.js";
import type { FaultHome } from "./home.js";

const LAUNCH = fileURLToPath(new URL("./launch.mjs", import.meta.url));
const START_LIMIT_MS = 60_000;

/** The built gateway, served over HTTP on a port from the system, for callers with tokens. */
export interface CallersGateway {
  readonly url: string;
  readonly pid: number;
  /** Of the person at this machine. */
  readonly token: string;
  /** What it has written to its standard error. */
  readonly said: () => string;
  stop(): Promise<void>;
}

export async function serveCallers(
  home: FaultHome,
  { dist, config = home.config }: { readonly dist: string; readonly config?: string },
): Promise<CallersGateway> {
  const words = [LAUNCH, dist, "anygpt", "mcp", "serve", "--http", "--port", "0", "--config", config];
  const child: ChildProcess = spawn(process.execPath, words, {
    env: home.env,
    cwd: home.folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  home.own(child);
  const lines: string[] = [];
  const gone = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const listening = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr! }).on("line", (line) => {
      lines.push(line);
      const url = /Serving on (http:\S+),/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
    void gone.then(() => reject(new Error(`The gateway did not start: ${lines.join("\n")}`)));
  });
  const url = await withDeadline(listening, START_LIMIT_MS, "the gateway's start");
  return {
    url,
    pid: child.pid ?? 0,
    token: readFileSync(join(home.state, "http.token"), "utf8").trim(),
    said: () => lines.join("\n"),
    async stop() {
      child.kill("SIGTERM");
      await withDeadline(gone, START_LIMIT_MS, "the gateway's end");
    },
  };
}

/** A token for whoever calls under this name. */
export const tokenOf = (name: string): string => `${name}-`.padEnd(40, "x");

/** The same as the configuration has it. */
export function tokenEntry(name: string, more: object = {}): object {
  return { name, hash: `sha256:${createHash("sha256").update(tokenOf(name)).digest("hex")}`, ...more };
}
