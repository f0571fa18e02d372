import type { Stages } from "../../compose.js";
import { type DiscoveryError, toDiscoveryError } from "../../errors.js";
import type { Context } from "./context.js";
import { describeAsking } from "./session.js";

export interface AskedServer {
  readonly name: string;
  readonly durationMs: number;
  readonly failure: DiscoveryError | undefined;
}

const AT_ONCE = 4;

/** Asks each server for its tools now, a few at a time, with progress. One that fails is an answer, not an error. */
export async function askServers(names: readonly string[], stages: Stages, context: Context): Promise<AskedServer[]> {
  const asked = new Map<string, AskedServer>();
  const underWay = new Set<string>();
  const waiting = [...names];

  const worker = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      underWay.add(name);
      asked.set(name, await ask(name, stages));
      underWay.delete(name);
    }
  };

  const work = Promise.all(Array.from({ length: AT_ONCE }, worker));
  await context.wait(work, () => describeAsking(asked.size, names.length, [...underWay]));
  return names.flatMap((name) => asked.get(name) ?? []);
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
