import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { waitFor, withDeadline } from "./deadline.js";
import { createLedger, type Ledger } from "./ledger.js";

const FAULTD = fileURLToPath(new URL("./faultd.mjs", import.meta.url));
const START_LIMIT_MS = 30_000;
const END_LIMIT_MS = 10_000;

/** A separate home folder with a configuration, a ledger and all processes that were started for it. */
export interface FaultHome {
  readonly folder: string;
  readonly state: string;
  readonly config: string;
  readonly env: Record<string, string>;
  readonly ledger: Ledger;
  path(name: string): string;
  /** Writes a configuration whose servers all write to the ledger. */
  configure(servers: Record<string, object>, rest?: object, name?: string): string;
  /** A stdio server for the configuration: one process per gateway. */
  stdio(name: string): object;
  /** The same over HTTP: one process for all gateways. */
  http(name: string): Promise<object>;
  /** The child process ends with this home folder. */
  own(child: ChildProcess): void;
  remove(): Promise<void>;
}

export function createFaultHome(): FaultHome {
  const folder = mkdtempSync(join(tmpdir(), "anygpt-faults-"));
  const children = new Set<ChildProcess>();
  const path = (name: string): string => join(folder, name);
  const own = (child: ChildProcess): void => {
    children.add(child);
    child.once("close", () => children.delete(child));
  };
  const endAll = (): void => children.forEach((child) => child.kill("SIGKILL"));
  // An interrupted suite leaves no process behind.
  const leave = (): void => {
    endAll();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once("exit", leave);
  return {
    folder,
    state: path("state"),
    config: path("config.json"),
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, ANYGPT_HOME: path("state"), ANYGPT_DAEMON: "0" },
    ledger: createLedger(path("ledger.jsonl"), path("effects")),
    path,
    own,
    configure(servers, rest = {}, name = "config.json") {
      writeFileSync(path(name), JSON.stringify({ servers, ...rest }));
      return path(name);
    },
    stdio: (name) => ({ command: process.execPath, args: [FAULTD, "stdio", folder, name] }),
    async http(name) {
      const child = spawn(process.execPath, [FAULTD, "http", folder, name], { stdio: ["pipe", "pipe", "inherit"] });
      own(child);
      const port = new Promise<string>((resolve) => child.stdout.once("data", (line: Buffer) => resolve(String(line))));
      return { url: `http://127.0.0.1:${(await withDeadline(port, START_LIMIT_MS, "a server's start")).trim()}/mcp` };
    },
    async remove() {
      const ends = [...children].map((child) => new Promise((resolve) => child.once("close", resolve)));
      endAll();
      await Promise.all(ends);
      await waitFor(
        () => processesWith(folder).length === 0,
        "end of the servers whose gateways are gone",
        END_LIMIT_MS,
      );
      process.removeListener("exit", leave);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Runs the work in a separate home folder, which is always removed afterwards. */
export async function inHome<T>(work: (home: FaultHome) => Promise<T>): Promise<T> {
  const home = createFaultHome();
  try {
    return await work(home);
  } finally {
    await home.remove();
  }
}

/** Finds servers by the folder in their arguments. Available on systems with `/proc`. */
function processesWith(folder: string): string[] {
  const pids = process.platform === "linux" ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(folder);
    } catch {
      return false;
    }
  });
}
