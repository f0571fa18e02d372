import type { Execution } from "./gateway.js";
import type { Random } from "./random.js";

/** One planned call of a client. */
export interface PlannedCall {
  readonly number: number;
  readonly id: string;
  readonly isIdempotent: boolean;
  readonly crashes: boolean;
  readonly execution: Execution;
}

export interface PlanOptions {
  readonly calls: number;
  readonly servers: readonly string[];
  readonly crashShare: number;
  readonly repeatShare: number;
  /** Repetitions of recent calls are likely to arrive while the first one runs. */
  readonly recent: number;
  readonly prefix: string;
}

const IDEMPOTENT_SHARE = 0.2;

/** The calls of all clients, in order. A repetition has the key and the arguments of an earlier call. */
export function planCalls(random: Random, options: PlanOptions): PlannedCall[] {
  const originals: PlannedCall[] = [];
  return Array.from({ length: options.calls }, (_, number) => {
    const earlier = originals.length > 0 && random.chance(options.repeatShare) ? chooseEarlier() : undefined;
    if (earlier !== undefined) return { ...earlier, number, execution: withNumber(earlier.execution, number) };
    const made = toOriginal(random, options, number);
    originals.push(made);
    return made;
  });

  function chooseEarlier(): PlannedCall {
    const isRecent = random.chance(0.5);
    return random.pick(isRecent ? originals.slice(-options.recent) : originals);
  }
}

function toOriginal(random: Random, options: PlanOptions, number: number): PlannedCall {
  const id = `${options.prefix}-${number}`;
  const isIdempotent = random.chance(IDEMPOTENT_SHARE);
  const crashes = random.chance(options.crashShare);
  const mode = crashes ? { mode: random.pick(["crash_before", "crash_after"]) } : {};
  const execution = {
    server: random.pick(options.servers),
    tool: isIdempotent ? "idempotent_effect" : "effect",
    arguments: { id, ...mode },
    options: { idempotency_key: `key-${id}` },
  };
  return { number, id, isIdempotent, crashes, execution: withNumber(execution, number) };
}

/** The servers record it, which distinguishes the effects of different attempts. */
export function withNumber(execution: Execution, number: number): Execution {
  return { ...execution, meta: { "faults/attempt": number } };
}

/** A marker that is valid in a key: keys have no spaces. */
export function toId(name: string): string {
  return name.replaceAll(/[^\w-]+/g, "-");
}
