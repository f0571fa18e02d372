// Configuration files that are half written, invalid, empty or unreadable, one after another: the last valid
// configuration stays active.
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { waitFor } from "../../support/deadline.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { createRandom, type Random } from "../../support/random.js";
import { openReloading, type ReloadingGateway } from "../../support/reloading-gateway.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";

/** Replacements of a valid file; `folder` and `gone` replace it by a folder or remove it. */
type Damage = (random: Random, good: string) => string;

const DAMAGES: readonly Damage[] = [
  // Even if only the last brackets are missing, it is not valid JSON.
  (random, good) => good.slice(0, random.between(1, good.length - 1)),
  () => "",
  () => "   \n",
  () => "folder",
  () => "gone",
  () => "null",
  () => "[]",
  () => '{"servers": {"one": {"comand": "x"}}}',
  () => '{"servers": 7}',
  () => '{"nonsense": true}',
  (random) => `{"toolRules": [{"pattern": "/(${"a".repeat(random.between(1, 20))}/", "enabled": false}]}`,
  (random) => Buffer.from(Array.from({ length: 200 }, () => random.between(128, 256))).toString("latin1"),
  (_, good) => good.replace("{", '{"servers": {},'),
];

/** `count`: how many invalid configurations there are, each followed by a valid one. */
export async function invalidConfigurations({ count, seed, dist }: RowOptions): Promise<RowResult> {
  const random = createRandom(seed);
  return await inHome(async (home) => {
    const gateway = await openReloading(home, dist, toConfig(home, 0));
    const violations: string[] = [];
    const call = createCaller(home, gateway);
    const pid = await call(violations);
    let calls = 1;
    for (let round = 1; round <= count; round += 1) {
      const good = toConfig(home, round);
      const damaged = random.pick(DAMAGES)(random, JSON.stringify(good));
      const what = `round ${round}, ${JSON.stringify(damaged.slice(0, 60))}`;
      const before = gateway.refusals();
      put(home, damaged);
      gateway.signal("SIGHUP");
      await waitFor(() => gateway.refusals() > before, `refusal of ${what}`);
      const found: string[] = [];
      if ((await call(found)) !== pid) found.push("another process answered");
      const names = await gateway.servers();
      if (names.join() !== `one,extra-${round - 1}`) found.push(`the servers are ${names.join()}`);
      const said = JSON.stringify(await gateway.ask("list_mcp_servers"));
      if (!said.includes("The changed configuration is invalid")) found.push("the list of servers does not report it");
      const seen = gateway.refusals() - before;
      // Before it becomes a folder, the file is missing for a moment.
      if (seen !== 1 && !(damaged === "folder" && seen === 2)) found.push(`reported ${seen} times`);
      calls += 1;
      if (damaged === "folder") rmSync(home.config, { recursive: true });
      await gateway.reload(good);
      const now = await gateway.servers();
      if (now.join() !== `one,extra-${round}`) found.push(`after a valid configuration the servers are ${now.join()}`);
      violations.push(...found.map((text) => `${what}: ${text}`));
    }
    await gateway.close();
    return {
      title: "invalid configuration files",
      n: calls,
      injected: count,
      violations,
      figures: {
        "kinds of damage": DAMAGES.length,
        outages: violations.length,
        "rejections logged": gateway.refusals(),
      },
    };
  });
}

function toConfig(home: FaultHome, round: number): object {
  const tools = [{ name: "read", description: "Reads something." }];
  return { servers: { one: home.stdio("one"), [`extra-${round}`]: { ...home.stdio("extra"), tools, enabled: true } } };
}

/** Atomically if possible: a gateway may read at any moment. */
function put({ config }: FaultHome, damaged: string): void {
  if (damaged === "folder" || damaged === "gone") rmSync(config);
  if (damaged === "gone") return;
  if (damaged === "folder") return mkdirSync(config);
  writeFileSync(`${config}.new`, damaged);
  renameSync(`${config}.new`, config);
}

/** Sends one call after the other; returns the process that has answered. */
function createCaller({ ledger }: FaultHome, gateway: ReloadingGateway): (violations: string[]) => Promise<number> {
  let number = 0;
  return async (violations) => {
    const id = `call-${(number += 1)}`;
    const outcome = await gateway.execute({ server: "one", tool: "read", arguments: { id } });
    if (outcome.kind !== "answer") violations.push(`a call got ${describe(outcome)}`);
    return ledger.of(id, "call")[0]?.pid ?? 0;
  };
}
