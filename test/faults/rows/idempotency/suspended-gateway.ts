// A gateway that is suspended in the middle of a call counts as alive: no other gateway takes over its call.
import { writeFileSync } from "node:fs";
import { readAudit } from "../../support/audit.js";
import { openGateway } from "../../support/gateway.js";
import { inHome } from "../../support/home.js";
import { describe, toAnswer } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const ATTEMPTS_MEANWHILE = 20;

/** `count`: how often a gateway is suspended and resumed. */
export async function suspendedGateway({ count, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    home.configure({ stdio: home.stdio("stdio"), http: await home.http("http") });
    const paused = await openGateway(home, { dist });
    const other = await openGateway(home, { dist });
    const violations: string[] = [];
    for (let round = 0; round < count; round += 1) {
      const id = `paused-${round}`;
      const gate = home.path(`gate-${round}`);
      const execution = {
        server: round % 2 === 0 ? "stdio" : "http",
        tool: round % 4 < 2 ? "effect" : "idempotent_effect",
        arguments: { id, gate },
        options: { idempotency_key: `key-${id}` },
      };
      const first = paused.execute(execution);
      await home.ledger.waitFor(id, "effect");
      paused.signal("SIGSTOP");
      // A gateway that starts now cleans up after dead gateways, and this one is not dead.
      const late = await openGateway(home, { dist });
      const meanwhile = await Promise.all(
        Array.from({ length: ATTEMPTS_MEANWHILE }, (_, index) => (index % 2 ? late : other).execute(execution)),
      );
      const wrong = meanwhile.filter((one) => one.kind !== "error" || one.code !== "IDEMPOTENCY_IN_PROGRESS");
      violations.push(...wrong.map((one) => `${id}: ended in ${describe(one)} while its gateway was suspended`));
      writeFileSync(gate, "");
      await home.ledger.waitFor(id, "answer");
      paused.signal("SIGCONT");
      const answer = await first;
      const replay = await late.execute(execution);
      await late.close();
      if (answer.kind !== "answer") violations.push(`${id}: the first call ended in ${describe(answer)}`);
      else if (replay.kind !== "answer" || toAnswer(replay.result).text !== toAnswer(answer.result).text) {
        violations.push(`${id}: the retry after resuming ended in ${describe(replay)}`);
      }
      const calls = home.ledger.of(id, "call").length;
      if (calls !== 1) violations.push(`${id}: sent ${calls} times`);
      onProgress?.(`${round + 1} of ${count} pauses`);
    }
    await paused.close();
    await other.close();
    violations.push(...(await readAudit(home, dist)).violations);
    const n = count * ATTEMPTS_MEANWHILE;
    return { title: "a suspended gateway", n, injected: count, violations, figures: {} };
  });
}
