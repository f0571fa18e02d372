import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describeEnd } from "./gateway.js";
import type { FaultHome } from "./home.js";
import { lagFile } from "./lag.js";

const LAUNCH = fileURLToPath(new URL("./launch.mjs", import.meta.url));

/** A message of the gateway. */
export interface Reported {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** The built gateway on stdio, byte by byte, for input that no client would send. */
export interface StdioWire {
  readonly pid: number;
  readonly isAlive: boolean;
  /** Its standard error so far. */
  readonly said: () => string;
  /** Resolves when there is room for more. */
  write(bytes: Uint8Array | string): Promise<void>;
  /** Every line that arrives from now on. */
  onTold(listener: (reported: Reported) => void): void;
  /** The answer for that id to a message sent unchanged. */
  ask(id: number | string, line: string): Promise<Reported>;
  /** An exit code other than 0 of a gateway that was still running is an error. */
  close(): Promise<void>;
}

export interface StdioWireOptions {
  readonly dist: string;
  readonly revision?: string;
  readonly measuresLag?: boolean;
}

/** Opened with the handshake. */
export async function openStdioWire(home: FaultHome, options: StdioWireOptions): Promise<StdioWire> {
  const child = spawn(process.execPath, [LAUNCH, options.dist, "discovery", "--config", home.config], {
    env: { ...home.env, ...(options.measuresLag === true ? { FAULT_LAG: lagFile(home) } : {}) },
    cwd: home.folder,
  });
  home.own(child);
  const wire = toWire(child);
  const params = {
    protocolVersion: options.revision ?? "2025-06-18",
    capabilities: {},
    clientInfo: { name: "faults", version: "1.0.0" },
  };
  const { error } = await wire.ask("hello", toLine({ id: "hello", method: "initialize", params }));
  if (error !== undefined) throw new Error(`The gateway did not start: ${error.message} ${wire.said()}`);
  await wire.write(toLine({ method: "notifications/initialized" }));
  return wire;
}

export const toLine = (message: object): string => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;

function toWire(child: ChildProcessWithoutNullStreams): StdioWire {
  const listeners: ((reported: Reported) => void)[] = [];
  const asked = new Map<number | string, { tell: (reported: Reported) => void; fail: (error: Error) => void }>();
  let said = "";
  let rest = "";
  let isAlive = true;
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (said += chunk));
  child.stdin.on("error", () => undefined);
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(JSON.parse(line) as Reported);
  });
  const take = (reported: Reported): void => {
    const waiting = reported.method === undefined ? asked.get(reported.id ?? "") : undefined;
    if (waiting === undefined) return listeners.forEach((hear) => hear(reported));
    asked.delete(reported.id ?? "");
    waiting.tell(reported);
  };
  const gone = new Promise<void>((resolve) =>
    child.once("close", () => {
      isAlive = false;
      for (const { fail } of asked.values()) fail(new Error(`The gateway exited: ${said.slice(-2000)}`));
      resolve();
    }),
  );
  const write: StdioWire["write"] = async (bytes) => {
    if (!child.stdin.write(bytes) && isAlive) {
      await Promise.race([new Promise((resolve) => child.stdin.once("drain", resolve)), gone]);
    }
  };
  return {
    pid: child.pid ?? 0,
    get isAlive() {
      return isAlive;
    },
    said: () => said,
    write,
    onTold: (listener) => void listeners.push(listener),
    async ask(id, line) {
      const answer = new Promise<Reported>((tell, fail) => asked.set(id, { tell, fail }));
      await write(line);
      return await answer;
    },
    async close() {
      const wasAlive = child.exitCode === null && child.signalCode === null;
      child.stdin.end();
      await gone;
      if (wasAlive && child.exitCode !== 0) throw new Error(describeEnd(child, said.slice(-2000)));
    },
  };
}
