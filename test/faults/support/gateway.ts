import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { errorOf } from "../../support/error-of.js";
import { withDeadline } from "./deadline.js";
import type { FaultHome } from "./home.js";
import { lagFile } from "./lag.js";

const LAUNCH = fileURLToPath(new URL("./launch.mjs", import.meta.url));
const START_LIMIT_MS = 120_000;
const CALL_LIMIT_MS = 120_000;
const STDERR_TAIL_LENGTH = 2000;

export type Json = Record<string, unknown>;

/** One `execute_tool`. */
export interface Execution {
  readonly server: string;
  readonly tool: string;
  readonly arguments: unknown;
  readonly options?: Json;
  readonly meta?: Json;
}

/** The outcome of an execution for its caller. */
export type Outcome =
  | { readonly kind: "answer"; readonly result: Json }
  /** An error of the gateway, returned as a tool result. */
  | { readonly kind: "error"; readonly code: string; readonly executed: string; readonly error: Json }
  /** A JSON-RPC error: the request was not accepted. */
  | { readonly kind: "refused"; readonly code: number; readonly message: string }
  /** The gateway exited before it answered. */
  | { readonly kind: "died" };

export interface Gateway {
  readonly pid: number;
  readonly isAlive: boolean;
  /** Resolves when the process has exited. */
  readonly gone: Promise<void>;
  /** Null while it runs, and after a signal ended it. */
  readonly exitCode: number | null;
  execute(execution: Execution): Promise<Outcome>;
  request(method: string, params: Json): Promise<Outcome>;
  /** Sends the line unchanged; resolves with the answer for that id. */
  raw(line: string, id: number | string): Promise<Outcome>;
  /** Sends the line unchanged, for messages without an answer. */
  send(line: string): void;
  /** An id that no other request to this gateway has. */
  newId(): number;
  signal(name: NodeJS.Signals): void;
  kill(): Promise<void>;
  /** Closes its input and waits for its exit; an exit code other than 0 of a gateway that was still running is an error. */
  close(): Promise<void>;
}

export interface GatewayOptions {
  readonly dist: string;
  readonly failpoint?: string;
  readonly capabilities?: Json;
  readonly config?: string;
  /** A client of revision 2026-07-28: no handshake, every request carries its capabilities. */
  readonly isModern?: boolean;
  /** The process measures the lag of its event loop; see `readLag`. */
  readonly measuresLag?: boolean;
  /** Answers the requests of the gateway to its client. */
  readonly onRequest?: (method: string, params: Json) => unknown;
}

/** The built gateway as a child process on stdio, line by line, with any number of calls in flight. */
export async function openGateway(home: FaultHome, options: GatewayOptions): Promise<Gateway> {
  const child = spawn(
    process.execPath,
    [LAUNCH, options.dist, "discovery", "--config", options.config ?? home.config],
    {
      env: {
        ...home.env,
        ...(options.failpoint === undefined ? {} : { FAILPOINT: options.failpoint }),
        ...(options.measuresLag === true ? { FAULT_LAG: lagFile(home) } : {}),
      },
      cwd: home.folder,
      stdio: "pipe",
    },
  );
  home.own(child);
  let stderrTail = "";
  child.stderr.on("data", (chunk: Buffer) => (stderrTail = (stderrTail + chunk.toString()).slice(-STDERR_TAIL_LENGTH)));
  const wire = createWire(child, options.onRequest);
  const gateway = toGateway(child, wire, () => stderrTail);
  if (options.isModern === true) return gateway;
  const hello = {
    protocolVersion: "2025-06-18",
    capabilities: options.capabilities ?? {},
    clientInfo: { name: "faults", version: "1.0.0" },
  };
  const started = await withDeadline(gateway.request("initialize", hello), START_LIMIT_MS, "the gateway's start");
  if (started.kind !== "answer") throw new Error(`The gateway did not start: ${JSON.stringify(started)} ${stderrTail}`);
  wire.send({ method: "notifications/initialized" });
  return gateway;
}

interface Wire {
  readonly gone: Promise<void>;
  readonly isAlive: boolean;
  newId(): number;
  send(message: Json): void;
  sendLine(line: string): void;
  answer(id: number | string): Promise<Outcome>;
}

function createWire(child: ChildProcess, onRequest: GatewayOptions["onRequest"]): Wire {
  const waiting = new Map<number | string, (outcome: Outcome) => void>();
  const answered = new Set<unknown>();
  let nextId = 1;
  let isAlive = true;
  const sendLine = (line: string): void => void child.stdin?.write(`${line}\n`);
  const send = (message: Json): void => sendLine(JSON.stringify({ jsonrpc: "2.0", ...message }));

  const take = async (message: Json): Promise<void> => {
    const { id, method } = message;
    if (typeof method === "string") {
      if (id !== undefined) send({ id, ...(await answerWith(onRequest, method, (message["params"] ?? {}) as Json)) });
      return;
    }
    const settle = waiting.get(id as number);
    waiting.delete(id as number);
    // The runner reports the row as broken.
    if (settle === undefined && answered.has(id)) throw new Error(`The request ${String(id)} was answered twice.`);
    // Requests with an unreadable id are all answered without an id.
    if (id !== null) answered.add(id);
    settle?.(toOutcome(message));
  };
  readLines(child, (line) => {
    const value = JSON.parse(line) as Json | Json[];
    for (const message of Array.isArray(value) ? value : [value]) void take(message);
  });
  child.stdin?.on("error", () => undefined);
  const gone = new Promise<void>((resolve) => child.once("close", () => resolve())).then(() => {
    isAlive = false;
    for (const settle of waiting.values()) settle({ kind: "died" });
    waiting.clear();
  });
  return {
    gone,
    get isAlive() {
      return isAlive && child.exitCode === null && child.signalCode === null;
    },
    newId: () => nextId++,
    send,
    sendLine,
    answer: (id) =>
      isAlive ? new Promise((resolve) => waiting.set(id, resolve)) : Promise.resolve({ kind: "died" as const }),
  };
}

async function answerWith(onRequest: GatewayOptions["onRequest"], method: string, params: Json): Promise<Json> {
  try {
    if (onRequest !== undefined) return { result: await onRequest(method, params) };
  } catch {
    // Acts like a failing client.
  }
  return { error: { code: -32603, message: "The client could not answer." } };
}

function toGateway(child: ChildProcess, wire: Wire, stderrTail: () => string): Gateway {
  const limited = (answer: Promise<Outcome>, what: string): Promise<Outcome> =>
    withDeadline(answer, CALL_LIMIT_MS, what);
  const request: Gateway["request"] = (method, params) => {
    const id = wire.newId();
    const answer = wire.answer(id);
    wire.send({ id, method, params });
    return limited(answer, method);
  };
  return {
    pid: child.pid ?? 0,
    get isAlive() {
      return wire.isAlive;
    },
    gone: wire.gone,
    get exitCode() {
      return child.exitCode;
    },
    newId: wire.newId,
    request,
    execute: ({ meta, ...execution }) =>
      request("tools/call", {
        name: "execute_tool",
        arguments: execution,
        ...(meta === undefined ? {} : { _meta: meta }),
      }),
    raw(line, id) {
      const answer = wire.answer(id);
      wire.sendLine(line);
      return limited(answer, "a raw line");
    },
    send: wire.sendLine,
    signal: (name) => void child.kill(name),
    async kill() {
      child.kill("SIGKILL");
      await wire.gone;
    },
    async close() {
      const wasAlive = wire.isAlive;
      child.stdin?.end();
      await withDeadline(wire.gone, START_LIMIT_MS, "the gateway's end");
      if (wasAlive && child.exitCode !== 0) throw new Error(describeEnd(child, stderrTail()));
    },
  };
}

/** The runner reports the row as broken: a gateway must exit normally when its client disconnects. */
export function describeEnd({ exitCode, signalCode }: ChildProcess, stderrTail: string): string {
  return `The gateway was closed and exited with ${exitCode ?? signalCode}: ${stderrTail}`;
}

function readLines(child: ChildProcess, onLine: (line: string) => void): void {
  let rest = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") onLine(line);
  });
}

export function toOutcome({ result, error }: Json): Outcome {
  if (error !== undefined) {
    const { code, message } = error as { code: number; message: string };
    return { kind: "refused", code, message };
  }
  const reported = errorOf(result as Json);
  if (reported === undefined) return { kind: "answer", result: result as Json };
  return { kind: "error", code: String(reported["code"]), executed: String(reported["executed"]), error: reported };
}
