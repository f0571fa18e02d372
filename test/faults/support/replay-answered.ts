import type { Gateway } from "./gateway.js";
import type { Attempt } from "./history.js";
import { type PlannedCall, withNumber } from "./plan.js";
import { toAnswer } from "./replay.js";

const MOST = 500;
const NUMBERS_FROM = 1_000_000;

/** Repeats answered calls once more: the replay names the request that ran, which must have an audit record. */
export async function replayAnswered(
  attempts: readonly Attempt[],
  plan: readonly PlannedCall[],
  gateways: readonly Gateway[],
): Promise<Attempt[]> {
  const isFirst = ({ outcome }: Attempt): boolean =>
    outcome.kind === "answer" && toAnswer(outcome.result).replayOf === undefined;
  const answered = new Set(attempts.filter(isFirst).map(({ id }) => id));
  const calls = new Map(plan.filter(({ id }) => answered.has(id)).map((call) => [call.id, call]));
  return await Promise.all(
    [...calls.values()].slice(-MOST).map(async (call, index) => {
      const number = NUMBERS_FROM + index;
      const outcome = await gateways[index % gateways.length]!.execute(withNumber(call.execution, number));
      return { ...call, number, outcome };
    }),
  );
}
