// Callers that lose an answer and ask again under a new key: nobody can prevent that the tool runs twice, but the record
// and the answer tell of it, and of nothing else.
import { readAudit } from "../../support/audit.js";
import { type Execution, openGateway } from "../../support/gateway.js";
import { inHome } from "../../support/home.js";
import { createRandom } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { describe } from "../../support/replay.js";

const RISKY = { risk: [{ tools: "*", risk: "high" }], confirmation: { mode: "never" } };
/** The shortest that a caller may choose. */
const TIMEOUT_SECONDS = 1;
const OTHER_SHARE = 0.3;

/** `count`: how many answers are lost. */
export async function freshKeys({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    home.configure({ one: home.stdio("one") }, { policy: RISKY });
    const gateway = await openGateway(home, { dist });
    const random = createRandom(seed);
    const violations: string[] = [];
    const told = { repeats: 0, others: 0, detected: 0, "false alarms": 0 };
    for (let number = 0; number < count; number += 1) {
      const id = `fresh-${number}`;
      const mode = random.pick(["hang", "tool_error"]);
      const call = (key: string, args: object): Execution => {
        const options = { idempotency_key: `${id}-${key}`, ...(mode === "hang" ? { timeout: TIMEOUT_SECONDS } : {}) };
        return { server: "one", tool: "effect", arguments: args, options };
      };
      await gateway.execute(call("first", { id, mode }));
      const isOther = random.chance(OTHER_SHARE);
      const again = await gateway.execute(call("second", { id, mode, ...(isOther ? { to: "another" } : {}) }));
      if (again.kind !== "answer") {
        violations.push(`${id}: the second call ended in ${describe(again)}`);
        continue;
      }
      const isTold = Object.hasOwn(again.result["_meta"] ?? {}, "anygpt/repeats");
      told[isOther ? "others" : "repeats"] += 1;
      if (isTold) told[isOther ? "false alarms" : "detected"] += 1;
      if (isTold === isOther)
        violations.push(`${id}: ${isOther ? "another call is taken for the same" : "nobody is told"}`);
      if ((number + 1) % 25 === 0) onProgress?.(`${number + 1} of ${count} answers lost`);
    }
    await gateway.close();
    const { records, violations: found } = await readAudit(home, dist);
    const recorded = records.filter(({ kind, repeats }) => kind === "outcome" && repeats !== undefined).length;
    if (recorded !== told.repeats) violations.push(`${recorded} of ${told.repeats} repeats are on record`);
    return {
      id: "I19",
      title: "the same call again under a new key",
      n: count,
      injected: count,
      violations: [...violations, ...found],
      figures: { ...told, "detection rate": told.repeats === 0 ? 0 : told.detected / told.repeats },
    };
  });
}
