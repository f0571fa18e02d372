import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { bundleInside } from "../support/bundle-inside.mjs";
import { median, quantile, spreadOf, timeEach } from "../support/statistics.mjs";
import { timeSyncedWrites } from "../support/synced-writes.mjs";

/** Budgets in microseconds, by name of the measurement: only a low-risk call without an idempotency key has one. */
const BUDGETS = { "low risk, recorded": 1000 };

/** Time of policy, validation, idempotency keys and audit log for one call, each alone and together. The server answers immediately. */
export const guards = {
  name: "guards",
  about: "microseconds that each check adds to a call, alone and together",
  seconds: { usual: 12, quick: 4 },
  async run(context) {
    const { folder, rounds } = context;
    const { openGuards } = await import(await bundleInside("bench/guards.ts"));
    const place = join(folder, "guards");
    mkdirSync(place, { recursive: true });
    const opened = await openGuards(place);
    try {
      const synced = await timeSyncedWrites(context);
      const lines = [];
      for (const [name, step] of Object.entries(opened.steps)) {
        await timeEach(rounds(300, 100), step);
        lines.push(toLine(name, await timeEach(rounds(2000, 300), step), synced));
      }
      return lines;
    } finally {
      await opened.close();
    }
  },
};

function toLine(name, times, synced) {
  const { low, high } = spreadOf(times);
  return {
    what: `guards: ${name}`,
    value: median(times) * 1000,
    unit: "µs",
    spread: { low: low * 1000, high: high * 1000 },
    baseline: { name: "µs, one synced write", value: median(synced) * 1000 },
    ratio: median(times) / median(synced),
    note: `p99 ${(quantile(times, 0.99) * 1000).toFixed(0)} µs`,
    ...(name in BUDGETS ? { budget: { most: BUDGETS[name] } } : {}),
  };
}
