import type { Stages } from "../../gateway/stages.js";
import { DiscoveryError, toDiscoveryError } from "../../errors.js";
import type { DescribeStep } from "../../model/next-steps.js";
import { interrupted } from "../../util/interrupted.js";

export interface AskedServer {
  readonly name: string;
  readonly durationMs: number;
  readonly failure: DiscoveryError | undefined;
}

/** The progress of requesting the tool lists of several servers. */
export interface AskProgress {
  readonly done: number;
  readonly total: number;
  /** Names of the servers whose tool list was requested but not received yet. */
  readonly underWay: readonly string[];
}

/** Options of operations that request the tool lists of several servers. */
export interface AskOptions {
  readonly onProgress?: (progress: AskProgress) => void;
  /** The maximum wait for all servers together. A server that has not responded by then counts as failed. */
  readonly timeoutMs?: number;
  /** Ends the wait with the error `CANCELLED`. */
  readonly signal?: AbortSignal;
  /** Renders the suggested next steps after a failure as text. Default: as calls to this library. @internal */
  readonly describe?: DescribeStep;
}

interface ServerQuery extends AskOptions {
  readonly onAnswer?: (server: AskedServer) => void;
}

/** The number of servers that start at once. A server that takes longer than `SLOW_MS` does not delay the next one. */
const MAX_CONCURRENT = 8;
const SLOW_MS = 2000;

/** Requests the tool list of each server. Failures are part of the result and are not thrown. */
export async function askServers(
  names: readonly string[],
  stages: Stages,
  { onAnswer, onProgress, timeoutMs, signal }: ServerQuery = {},
): Promise<AskedServer[]> {
  const asked = new Map<string, AskedServer>();
  const underWay = new Set<string>();
  const waiting = [...names];
  const answers: Promise<void>[] = [];
  let hasEnded = false;

  const report = (): void => onProgress?.({ done: asked.size, total: names.length, underWay: [...underWay] });
  const answered = (server: AskedServer): void => {
    underWay.delete(server.name);
    if (hasEnded) return;
    asked.set(server.name, server);
    report();
    onAnswer?.(server);
  };
  const worker = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      underWay.add(name);
      report();
      const answer = ask(name, stages).then(answered);
      answers.push(answer);
      await settledWithin(answer, SLOW_MS);
    }
  };
  const work = async (): Promise<void> => {
    await Promise.all(Array.from({ length: MAX_CONCURRENT }, worker));
    await Promise.all(answers);
  };

  try {
    await settledWithin(work(), timeoutMs, signal);
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
      hint: [
        { action: "raise-timeout" },
        { action: "run-command", command: `anygpt mcp logs ${name}`, purpose: "see what it writes to standard error" },
      ],
      server: name,
    },
  );
  return { name, durationMs: timeoutMs, failure };
}

/** Waits for the work, at most `maxMs` milliseconds. The work continues after that. */
async function settledWithin(work: Promise<void>, maxMs?: number, signal?: AbortSignal): Promise<void> {
  const settled = new AbortController();
  const expired = new Promise<void>((resolve, reject) => {
    const timer = maxMs === undefined ? undefined : setTimeout(resolve, maxMs);
    const stop = (): void => reject(interrupted());
    if (signal?.aborted === true) stop();
    signal?.addEventListener("abort", stop, { once: true, signal: settled.signal });
    settled.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
  await Promise.race([work, expired]).finally(() => settled.abort());
}

async function ask(name: string, { refresh, snapshot, upstreams, resolveConnection }: Stages): Promise<AskedServer> {
  const started = performance.now();
  const isFixed = snapshot().servers.get(name)?.definition.isFixed === true;
  const failure = await (isFixed ? upstreams.list(resolveConnection(name)) : refresh.refresh(name)).then(
    () => undefined,
    (error: unknown) => toDiscoveryError(error),
  );
  return { name, durationMs: Math.round(performance.now() - started), failure };
}
