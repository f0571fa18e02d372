// Callers use the keys of other callers: keys are separate per caller, and no caller learns anything about the calls of
// another.
import { writeFileSync } from "node:fs";
import { askModern } from "../../../support/mcp-http.js";
import { readAudit } from "../../support/audit.js";
import { type ServedGateway, openServedGateway, tokenEntry, tokenOf } from "../../support/served-gateway.js";
import { codeIn } from "../../support/entry-points.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { createRandom } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const OWNER = "ann";
const OTHERS = ["bob", "ANN", "ann2"] as const;

interface Reply {
  readonly code: string;
  readonly text: string;
}

/** `count`: how many keys of one caller the others try. */
export async function otherActors({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const tokens = [OWNER, ...OTHERS].map((name) => tokenEntry(name, { scopes: ["*"] }));
    home.configure({ one: home.stdio("one"), two: await home.http("two") }, { http: { port: 0, tokens } });
    const gateway = await openServedGateway(home, { dist });
    const random = createRandom(seed);
    const violations: string[] = [];
    let n = 0;
    for (let number = 0; number < count; number += 1) {
      const id = `own-${number}`;
      const server = random.pick(["one", "two"]);
      const own = await call(gateway, OWNER, { server, key: id, args: { id, to: "ann" } });
      if (own.code !== "ran") violations.push(`${id}: the owner's call ended in ${own.code}`);
      const secret = resultOf(home, id);
      for (const other of OTHERS) {
        // The same call, and one with other arguments, which would be a conflict for the owner.
        const same = random.chance(0.5);
        const given = same ? { id, to: "ann" } : { id: `${id}-${other}`, to: other };
        const reported = await call(gateway, other, { server, key: id, args: given });
        n += 1;
        if (reported.code !== "ran") violations.push(`${id}: ${other} got ${reported.code}`);
        if (secret !== undefined && reported.text.includes(secret))
          violations.push(`${id}: ${other} got the owner's answer`);
      }
      const again = await call(gateway, OWNER, { server, key: id, args: { id, to: "ann" } });
      if (secret === undefined || !again.text.includes(secret))
        violations.push(`${id}: the owner did not get its stored answer`);
      if ((number + 1) % 50 === 0) onProgress?.(`${number + 1} of ${count} keys`);
    }
    violations.push(...(await tryWhileItRuns(home, gateway)));
    await gateway.stop();
    violations.push(...(await readAudit(home, dist)).violations);
    const figures = {
      callers: OTHERS.length + 1,
      "answers disclosed": violations.filter((one) => one.includes("owner's answer")).length,
    };
    return {
      title: "keys of other callers",
      n: n + OTHERS.length,
      injected: n + OTHERS.length,
      violations,
      figures,
    };
  });
}

/** Content that only the answer to this call contains. */
function resultOf({ ledger }: FaultHome, id: string): string | undefined {
  return / as ([0-9a-f-]{36})/.exec(ledger.of(id, "answer")[0]?.result ?? "")?.[1];
}

/** A running call does not affect other callers. */
async function tryWhileItRuns(home: FaultHome, gateway: ServedGateway): Promise<string[]> {
  const gate = home.path("gate");
  const args = { id: "held", gate };
  const owner = call(gateway, OWNER, { server: "two", key: "held", args });
  await home.ledger.waitFor("held", "call");
  const found: string[] = [];
  const same = await call(gateway, OWNER, { server: "two", key: "held", args });
  if (same.code !== "IDEMPOTENCY_IN_PROGRESS") found.push(`the owner got ${same.code} for its own running call`);
  for (const other of OTHERS) {
    const reported = await call(gateway, other, { server: "two", key: "held", args: { id: `held-${other}` } });
    if (reported.code !== "ran") found.push(`${other} got ${reported.code} for a running call`);
  }
  writeFileSync(gate, "");
  if ((await owner).code !== "ran") found.push(`the call that was held ended in ${(await owner).code}`);
  return found;
}

interface KeyedCall {
  readonly server: string;
  readonly key: string;
  readonly args: object;
}

async function call({ url }: ServedGateway, actor: string, { server, key, args }: KeyedCall): Promise<Reply> {
  const execution = { server, tool: "effect", arguments: args, options: { idempotency_key: key } };
  const { answer } = await askModern({ url, token: tokenOf(actor) }, "tools/call", {
    name: "execute_tool",
    arguments: execution,
  });
  return { code: codeIn(answer.result), text: JSON.stringify(answer) };
}
