// Runs the built programs, keeps all output, and reads the command lines of the processes that they start.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { descendantsOf } from "../../support/gateway.js";
import { CANARY_SERVER, type CanaryPlace } from "./canary-place.js";
import { withDeadline } from "./deadline.js";

const LAUNCH = fileURLToPath(new URL("./launch.mjs", import.meta.url));
const LOOK_MS = 25;
const ANSWER_LIMIT_MS = 30_000;

export interface Received {
  readonly where: string;
  readonly bytes: Buffer;
}

export interface CanaryPrograms {
  readonly received: readonly Received[];
  readonly origin: () => Promise<string>;
  /** Runs `anygpt mcp …`; resolves with the exit code. */
  cli(...words: string[]): Promise<number>;
  gateway(...words: string[]): Promise<CanaryGateway>;
  close(): Promise<void>;
}

export interface CanaryGateway {
  /** The result or the error; undefined if the gateway exited first. */
  request(method: string, params?: object): Promise<unknown>;
  /** Sends without waiting for an answer. */
  send(method: string, params?: object): void;
  /** Resolves when the program has written this to standard error. */
  logged(text: string): Promise<void>;
  kill(): Promise<void>;
  close(): Promise<void>;
}

export function createPrograms(place: CanaryPlace, dist: string): CanaryPrograms {
  const received: Received[] = [];
  const children = new Set<ChildProcess>();
  let origin: Promise<string> | undefined;

  function start(program: string, words: readonly string[], name: string): ChildProcess {
    const child = spawn(process.execPath, [LAUNCH, dist, program, ...words], { cwd: place.project, env: place.env });
    children.add(child);
    const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    for (const stream of ["stdout", "stderr"] as const)
      child[stream]?.on("data", (chunk: Buffer) => output[stream].push(chunk));
    const lines = new Set<string>();
    const look = setInterval(() => commandLines(child.pid ?? 0).forEach((line) => lines.add(line)), LOOK_MS);
    child.once("close", () => {
      clearInterval(look);
      children.delete(child);
      for (const stream of ["stdout", "stderr"] as const)
        received.push({ where: `${stream} of ${name}`, bytes: Buffer.concat(output[stream]) });
      received.push({ where: `command lines of ${name}`, bytes: Buffer.from([...lines].join("\n")) });
    });
    return child;
  }

  return {
    received,
    origin: () => (origin ??= startServer(children)),
    async cli(...words) {
      const child = start("anygpt", ["mcp", ...words], words.slice(0, 2).join(" "));
      child.stdin?.end();
      const [code] = (await withDeadline(once(child, "close"), ANSWER_LIMIT_MS, words.join(" "))) as [number];
      return code;
    },
    async gateway(...words) {
      const gateway = toGateway(start("discovery", words, "the gateway"));
      await gateway.request("initialize", {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "canaries", version: "1.0.0" },
      });
      gateway.send("notifications/initialized");
      return gateway;
    },
    async close() {
      const ends = [...children].map((child) => once(child, "close"));
      for (const child of children) child.kill("SIGKILL");
      await Promise.all(ends);
    },
  };
}

/** Command lines of the program and its children, without servers: those come from the configuration. */
function commandLines(pid: number): string[] {
  return [pid, ...descendantsOf(pid)].flatMap((one) => {
    try {
      const line = readFileSync(`/proc/${one}/cmdline`, "utf8");
      return line.includes(CANARY_SERVER) ? [] : [line];
    } catch {
      return [];
    }
  });
}

async function startServer(children: Set<ChildProcess>): Promise<string> {
  const child = spawn(process.execPath, [CANARY_SERVER, "http"], { stdio: ["pipe", "pipe", "inherit"] });
  children.add(child);
  child.once("close", () => children.delete(child));
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  return `http://127.0.0.1:${String(port).trim()}`;
}

function toGateway(child: ChildProcess): CanaryGateway {
  const waiting = new Map<number, (answer: unknown) => void>();
  const ended = once(child, "close").then(() => undefined);
  let nextId = 1;
  let said = "";
  const listeners = new Set<() => void>();
  child.stderr?.on("data", (chunk: Buffer) => {
    said += String(chunk);
    for (const listener of listeners) listener();
  });
  if (child.stdout !== null)
    createInterface({ input: child.stdout }).on("line", (line) => {
      const message = JSON.parse(line) as { id?: number; method?: string; result?: unknown; error?: unknown };
      if (message.id !== undefined && message.method === undefined)
        waiting.get(message.id)?.(message.result ?? message.error);
    });
  child.stdin?.on("error", () => undefined);
  const write = (message: object): void =>
    void child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  return {
    async request(method, params = {}) {
      const id = nextId++;
      const answer = new Promise<unknown>((resolve) => waiting.set(id, resolve));
      write({ id, method, params });
      return await withDeadline(Promise.race([answer, ended]), ANSWER_LIMIT_MS, method);
    },
    send: (method, params) => write({ method, ...(params === undefined ? {} : { params }) }),
    async logged(text) {
      const found = new Promise<void>((resolve) => {
        const look = (): void => {
          if (said.includes(text)) resolve();
        };
        listeners.add(look);
        look();
      });
      await withDeadline(Promise.race([found, ended]), ANSWER_LIMIT_MS, `"${text}"`);
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    async close() {
      child.stdin?.end();
      await withDeadline(ended, ANSWER_LIMIT_MS, "the gateway");
    },
  };
}
