// Callers lose an answer and repeat the call with a new key. The gateway cannot prevent the second execution, but the
// audit record and the answer report it, and they report nothing else.
import { readAudit } from "../../support/audit.js";
import { type Execution, openGateway, type Outcome } from "../../support/gateway.js";
import { inHome } from "../../support/home.js";
import { createRandom } from "../../support/random.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const RISKY = { risk: [{ tools: "*", risk: "high" }], confirmation: { mode: "never" } };
/** The shortest time limit that a caller may choose. */
const TIMEOUT_SECONDS = 1;
const OTHER_SHARE = 0.3;
const AT_ONCE = 8;

interface Loss {
  readonly id: string;
  /** Whether the second answer is lost as well. */
  readonly isLostAgain: boolean;
  /** Whether the second call has other arguments. */
  readonly isOther: boolean;
}

/** `count`: how many answers are lost. */
export async function freshKeys({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    home.configure({ one: home.stdio("one") }, { policy: RISKY });
    const gateway = await openGateway(home, { dist });
    // The start of the server must not count towards the time limit of the first calls.
    await gateway.execute({ server: "one", tool: "read", arguments: { id: "warm" } });
    const random = createRandom(seed);
    const losses = Array.from({ length: count }, (_, number): Loss => {
      return { id: `fresh-${number}`, isLostAgain: random.chance(0.5), isOther: random.chance(OTHER_SHARE) };
    });
    const violations: string[] = [];
    const seen = { repeats: 0, others: 0, detected: 0, "false alarms": 0 };
    const loseTwice = async ({ id, isLostAgain, isOther }: Loss): Promise<void> => {
      const fault = isLostAgain ? { gate: home.path("never") } : { mode: "hang" };
      const call = (key: string, more: object = {}): Execution => {
        const options = { idempotency_key: `${id}-${key}`, timeout: TIMEOUT_SECONDS };
        return { server: "one", tool: "effect", arguments: { id, ...fault, ...more }, options };
      };
      const first = await gateway.execute(call("first"));
      if (first.kind !== "error") violations.push(`${id}: the first call ended in ${describe(first)}`);
      const again = await gateway.execute(call("second", isOther ? { to: "another" } : {}));
      if ((again.kind === "error") !== isLostAgain)
        violations.push(`${id}: the second call ended in ${describe(again)}`);
      const isReported = isRepeat(again);
      seen[isOther ? "others" : "repeats"] += 1;
      if (isReported) seen[isOther ? "false alarms" : "detected"] += 1;
      if (isReported === isOther)
        violations.push(
          `${id}: ${isOther ? "another call is reported as a repetition" : "the repetition is not reported"}`,
        );
    };
    for (let from = 0; from < count; from += AT_ONCE) {
      await Promise.all(losses.slice(from, from + AT_ONCE).map(loseTwice));
      onProgress?.(`${Math.min(from + AT_ONCE, count)} of ${count} answers lost`);
    }
    await gateway.close();
    const { records, violations: found } = await readAudit(home, dist);
    const recorded = records.filter(({ kind, repeats }) => kind === "outcome" && repeats !== undefined).length;
    if (recorded !== seen.repeats)
      violations.push(`${recorded} of ${seen.repeats} repeated calls are in the audit log`);
    return {
      title: "the same call repeated with a new key",
      n: count,
      injected: count,
      violations: [...violations, ...found],
      figures: { ...seen, "detection rate": seen.repeats === 0 ? 0 : seen.detected / seen.repeats },
    };
  });
}

function isRepeat(outcome: Outcome): boolean {
  if (outcome.kind === "answer") return Object.hasOwn(outcome.result["_meta"] ?? {}, "anygpt/repeats");
  return outcome.kind === "error" && outcome.error["repeats"] !== undefined;
}
