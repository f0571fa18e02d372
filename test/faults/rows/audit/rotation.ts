// Records move into archives while gateways write, and the system clock changes: back one hour, ahead two hours, and
// repeatedly over the same second.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { settleAudit } from "../../support/audit.js";
import { runCommand } from "../../support/command.js";
import { type Gateway, openGateway } from "../../support/gateway.js";
import { inHome } from "../../support/home.js";
import { withClock } from "../../support/moved-clock.js";
import { createRandom } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const GATEWAYS = 2;
const CLIENTS = 24;
/** The smallest number that a configuration may set. */
const KEPT = 1000;
const HOUR_MS = 3_600_000;
const JUMPS_MS = [-HOUR_MS, HOUR_MS, 0, -1000, 2 * HOUR_MS, -HOUR_MS, 86_400_000, 0];

interface Exported {
  readonly seq: number;
  readonly [member: string]: unknown;
}

/** `count`: the number of calls. */
export async function rotation({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const clock = home.path("clock");
    home.configure({ http: await home.http("http") }, { audit: { keepRecords: KEPT }, upstreams: { queue: 1000 } });
    const random = createRandom(seed);
    const gateways: Gateway[] = [];
    for (let number = 0; number < GATEWAYS; number += 1)
      gateways.push(await openGateway(withClock(home, 0, clock), { dist }));
    const violations: string[] = [];
    const jumpEvery = Math.ceil(count / JUMPS_MS.length);
    let next = 0;
    let jumps = 0;
    const work = async (): Promise<void> => {
      while (next < count) {
        const number = next++;
        if (number % jumpEvery === 0) writeFileSync(clock, String(JUMPS_MS[jumps++ % JUMPS_MS.length]));
        const execution = {
          server: "http",
          tool: random.pick(["read", "effect"]),
          arguments: { id: `turn-${number}` },
        };
        const outcome = await random.pick(gateways).execute(execution);
        if (outcome.kind !== "answer") violations.push(`turn-${number}: ${JSON.stringify(outcome)}`);
        if ((number + 1) % 1000 === 0) onProgress?.(`${number + 1} of ${count} calls`);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, work));
    await settleAudit(home);
    for (const gateway of gateways) await gateway.close();
    const verified = await runCommand(home, { dist }, ["audit", "--verify", "--json"]);
    if (verified.code !== 0) violations.push(`audit --verify: ${verified.stdout}${verified.stderr}`);
    const file = home.path("export.jsonl");
    await runCommand(home, { dist }, ["audit", "--export", file]);
    const records = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Exported);
    const breaks = records.filter(({ seq }, index) => index > 0 && seq !== records[index - 1]!.seq + 1);
    violations.push(...breaks.map(({ seq }) => `record ${seq} is not later than the previous one`));
    const outcomes = records.filter((one) => one["kind"] === "outcome").length;
    if (outcomes !== count) violations.push(`${outcomes} outcomes of ${count} calls`);
    const archives = readdirSync(join(home.state, "audit")).length;
    if (archives === 0) violations.push("nothing was moved into an archive");
    return {
      title: "log rotation and clock changes under load",
      n: records.length,
      injected: jumps + archives,
      violations,
      figures: { archives, "clock changes": jumps, breaks: breaks.length },
    };
  });
}
