import type { Stages } from "../../compose.js";
import { DiscoveryError, toDiscoveryError } from "../../errors.js";
import type { Context } from "./context.js";
import { describeAsking } from "./session.js";

export interface AskedServer {
  readonly name: string;
  readonly durationMs: number;
  readonly failure: DiscoveryError | undefined;
}

export interface Asking {
  /** Hears of every server as it has answered or failed. */
  readonly onAnswer?: (server: AskedServer) => void;
  /** Longest wait for all of them together; one that has not answered by then has failed. */
  readonly timeoutMs?: number;
}

/** So many start at once. One that is slow does not keep the next from starting. */
const AT_ONCE = 8;
const SLOW_MS = 2000;

/** Asks each server for its tools now, with progress. One that fails is an answer, not an error. */
export async function askServers(
  names: readonly string[],
  stages: Stages,
  context: Context,
  { onAnswer, timeoutMs }: Asking = {},
): Promise<AskedServer[]> {
  const asked = new Map<string, AskedServer>();
  const underWay = new Set<string>();
  const waiting = [...names];
  const answers: Promise<void>[] = [];
  let hasEnded = false;

  const answered = (server: AskedServer): void => {
    underWay.delete(server.name);
    if (hasEnded) return;
    asked.set(server.name, server);
    onAnswer?.(server);
  };
  const worker = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      underWay.add(name);
      const answer = ask(name, stages).then(answered);
      answers.push(answer);
      await settledWithin(answer, SLOW_MS);
    }
  };
  const work = async (): Promise<void> => {
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    await Promise.all(answers);
  };

  try {
    const all = timeoutMs === undefined ? work() : settledWithin(work(), timeoutMs);
    await context.wait(all, () => describeAsking(asked.size, names.length, [...underWay]));
  } finally {
    hasEnded = true;
    waiting.length = 0;
  }
  return names.map((name) => asked.get(name) ?? lateServer(name, timeoutMs ?? 0));
}

function lateServer(name: string, timeoutMs: number): AskedServer {
  const failure = new DiscoveryError(
    "SERVER_CONNECTION_ERROR",
    `${name} did not answer within ${timeoutMs / 1000} s.`,
    {
      hint: `Wait longer with --timeout SECONDS; \`anygpt mcp logs ${name}\` shows what it writes meanwhile.`,
      server: name,
    },
  );
  return { name, durationMs: timeoutMs, failure };
}

/** Waits for the work, but not longer than so many milliseconds; the work goes on. */
async function settledWithin(work: Promise<void>, longestMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, longestMs)));
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

async function ask(name: string, { refresh, snapshot, upstreams, target }: Stages): Promise<AskedServer> {
  const started = performance.now();
  const isFixed = snapshot().servers.get(name)?.definition.isFixed === true;
  const failure = await (isFixed ? upstreams.list(target(name)) : refresh.refresh(name)).then(
    () => undefined,
    (error: unknown) => toDiscoveryError(error),
  );
  return { name, durationMs: Math.round(performance.now() - started), failure };
}
