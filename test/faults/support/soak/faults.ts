import { connect } from "node:net";
import type { Execution } from "../gateway.js";
import { ACTOR } from "../load-gateway.js";
import { tokenOf } from "../served-gateway.js";
import type { Random } from "../random.js";
import { note, type SoakCall, type SoakHistory, sendCall } from "./calls.js";
import { HTTP_SERVERS, SERVERS, serversOf, type SoakPlace, STDIO_SERVERS } from "./place.js";

export interface SoakFaults {
  /**
   * Sends large results through both gateways before memory is compared: the system's allocator keeps memory that a
   * process has used once, up to twice the largest block.
   */
  rehearse(): Promise<void>;
  /** Injects one random fault; resolves when it is over. */
  injectOne(): Promise<void>;
  readonly injected: ReadonlyMap<string, number>;
}

interface Parts {
  readonly place: SoakPlace;
  readonly random: Random;
  readonly history: SoakHistory;
}

const FROZEN_MS = 1500;
const CUT_BYTES = 2 * 1024 * 1024;
const OVERSIZED_BYTES = 11 * 1024 * 1024;
const READ_EVERY_MS = 50;
const SURFACES = ["stdio", "http"] as const;
const REHEARSALS = 3;
/** Numbers that no planned call has. */
const NUMBERS_FROM = 100_000_000;

export function createFaults({ place, random, history }: Parts): SoakFaults {
  const injected = new Map<string, number>();
  let number = NUMBERS_FROM;

  const call = async (
    server: string,
    tool: string,
    args: object,
    options: object = {},
    surface = random.pick(SURFACES),
  ): Promise<void> => {
    number += 1;
    const id = `fault-${number}`;
    const execution: Execution = {
      server,
      tool,
      arguments: { id, ...args },
      options: { timeout: 2, ...(tool === "effect" ? { idempotency_key: id } : {}), ...options },
      meta: { "faults/attempt": number },
    };
    const made: SoakCall = {
      kind: "execute",
      surface,
      number,
      id,
      isKeyed: tool === "effect",
      expects: "answer",
      execution,
    };
    note(history, made, await sendCall(place, made));
  };
  const signalOne = (name: NodeJS.Signals): number | undefined => {
    const servers = serversOf(random.pick(place.pids));
    const pid = servers.length === 0 ? undefined : random.pick(servers);
    if (pid !== undefined) signal(pid, name);
    return pid;
  };
  const quiet = { silent: true };

  const faults: Record<string, () => Promise<void> | void> = {
    "killed server": () => void signalOne("SIGKILL"),
    "suspended server": async () => {
      const pid = signalOne("SIGSTOP");
      await new Promise((resolve) => setTimeout(resolve, FROZEN_MS));
      if (pid !== undefined) signal(pid, "SIGCONT");
    },
    "hanging call": () => call(random.pick(SERVERS), "read", { ...quiet, delay: -1 }),
    "crash before the effect": () => call(random.pick(STDIO_SERVERS), "effect", { mode: "crash_before" }),
    "crash after the effect": () => call(random.pick(STDIO_SERVERS), "effect", { mode: "crash_after" }),
    "connection reset": () => call(random.pick(HTTP_SERVERS), "effect", { mode: "crash_after" }),
    "result over the limit": () =>
      call(random.pick(SERVERS), "read", { ...quiet, bytes: OVERSIZED_BYTES }, { timeout: 10 }),
    "truncated result": () => call(random.pick(SERVERS), "read", { ...quiet, bytes: CUT_BYTES }, { timeout: 10 }),
    "burst of list changes": () => call(random.pick(STDIO_SERVERS), "read", { ...quiet, mode: "storm" }),
    "changed configuration": () => place.reconfigure(),
    "client that disconnects": () => vanish(place.http.url, random.pick(SERVERS)),
    "abandoned session": () => leaveSession(place),
    "slow reader": () => readSlowly(place.http.url, random.pick(SERVERS)),
  };
  let left: string[] = [];
  return {
    injected,
    async rehearse() {
      for (let round = 0; round < REHEARSALS; round += 1) {
        for (const server of [STDIO_SERVERS[0]!, HTTP_SERVERS[0]!]) {
          for (const bytes of [CUT_BYTES, OVERSIZED_BYTES]) {
            const both = SURFACES.map((surface) => call(server, "read", { ...quiet, bytes }, { timeout: 10 }, surface));
            await Promise.all(both);
          }
        }
      }
    },
    async injectOne() {
      // Each kind once before any is repeated.
      if (left.length === 0) left = random.shuffle(Object.keys(faults));
      const name = left.pop() ?? "";
      injected.set(name, (injected.get(name) ?? 0) + 1);
      await faults[name]?.();
    },
  };
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It exited by itself in the meantime.
  }
}

function toRequest(url: string, server: string, args: object): string {
  const body = JSON.stringify(args);
  return [
    `POST /api/adapters/${server}/tools/read HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    `Authorization: Bearer ${tokenOf(ACTOR)}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}

function vanish(url: string, server: string): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(toRequest(url, server, { id: "vanished", delay: 1000, silent: true }), () => socket.destroy());
    });
    socket.on("error", () => undefined).once("close", () => resolve());
  });
}

function readSlowly(url: string, server: string): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.on("data", () => {
      socket.pause();
      setTimeout(() => socket.resume(), READ_EVERY_MS);
    });
    socket.on("error", () => undefined).once("close", () => resolve());
    socket.write(toRequest(url, server, { id: "slow", bytes: CUT_BYTES / 2, silent: true }));
  });
}

async function leaveSession({ http }: SoakPlace): Promise<void> {
  const clientInfo = { name: "faults", version: "1.0.0" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  await http.post("/mcp", { jsonrpc: "2.0", id: 0, method: "initialize", params });
}
