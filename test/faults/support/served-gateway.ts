import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { withDeadline } from "./deadline.js";
import { describeEnd } from "./gateway.js";
import type { FaultHome } from "./home.js";
import { lagFile } from "./lag.js";

const LAUNCH = fileURLToPath(new URL("./launch.mjs", import.meta.url));
const START_LIMIT_MS = 60_000;

/** The built gateway as a child process over HTTP on a port chosen by the system. */
export interface ServedGateway {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** The token of the local user. */
  readonly token: string;
  readonly isAlive: boolean;
  /** Its standard error so far. */
  readonly said: () => string;
  signal(name: NodeJS.Signals): void;
  /** An exit code other than 0 of a gateway that was still running is an error. */
  stop(): Promise<void>;
}

export interface ServedOptions {
  readonly dist: string;
  readonly config?: string;
  /** The process measures the lag of its event loop; see `readLag`. */
  readonly measuresLag?: boolean;
}

/** The token of a configured caller. */
export const tokenOf = (name: string): string => `${name}-`.padEnd(40, "x");

/** The caller as in the configuration. */
export const tokenEntry = (name: string, rest: object = {}): object => ({
  name,
  hash: `sha256:${createHash("sha256").update(tokenOf(name)).digest("hex")}`,
  ...rest,
});

export async function openServedGateway(
  home: FaultHome,
  { dist, config = home.config, measuresLag = false }: ServedOptions,
): Promise<ServedGateway> {
  const words = [LAUNCH, dist, "anygpt", "mcp", "serve", "--http", "--port", "0", "--config", config];
  const child: ChildProcess = spawn(process.execPath, words, {
    env: { ...home.env, ...(measuresLag ? { FAULT_LAG: lagFile(home) } : {}) },
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
    port: Number(new URL(url).port),
    pid: child.pid ?? 0,
    get token() {
      return readFileSync(join(home.state, "http.token"), "utf8").trim();
    },
    get isAlive() {
      return child.exitCode === null && child.signalCode === null;
    },
    said: () => lines.join("\n"),
    signal: (name) => void child.kill(name),
    async stop() {
      const wasAlive = child.exitCode === null && child.signalCode === null;
      child.kill("SIGTERM");
      await withDeadline(gone, START_LIMIT_MS, "the exit of the gateway");
      if (wasAlive && child.exitCode !== 0) throw new Error(describeEnd(child, lines.slice(-20).join("\n")));
    },
  };
}
