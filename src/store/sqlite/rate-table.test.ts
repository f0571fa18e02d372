import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Database } from "./driver.js";
import { openDatabase } from "./open-database.js";
import { createRateTable } from "./rate-table.js";

const MINUTE_MS = 60_000;

let folder: string;
let database: Database;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "rates-"));
  database = openDatabase(join(folder, "store.db"));
});
afterEach(async () => {
  database.close();
  await rm(folder, { recursive: true });
});

const actors = (): unknown[] =>
  database
    .prepare("SELECT actor FROM rate_slots ORDER BY actor, slot")
    .all()
    .map(({ actor }) => actor);

it("deletes expired slots of all actors, including actors that never call again, and keeps slots that still count", () => {
  const rates = createRateTable(database);
  const take = (actor: string, windowMs: number, now: number) =>
    rates.take({ bucket: "b", actor, limit: 5, windowMs, now });
  take("a minute", MINUTE_MS, 0);
  take("an hour", 60 * MINUTE_MS, 0);
  take("two minutes", 2 * MINUTE_MS, 9 * MINUTE_MS);
  expect(actors()).toEqual(["a minute", "an hour", "two minutes"]);
  take("another", MINUTE_MS, 10 * MINUTE_MS);
  expect(actors()).toEqual(["an hour", "another", "two minutes"]);
  take("another", MINUTE_MS, 67 * MINUTE_MS);
  expect(actors()).toEqual(["another"]);
  expect(take("another", MINUTE_MS, 67 * MINUTE_MS)).toMatchObject({ kind: "taken", remaining: 3 });
});

it("deletes expired slots that another process left", () => {
  createRateTable(database).take({ bucket: "b", actor: "gone", limit: 5, windowMs: MINUTE_MS, now: 0 });
  createRateTable(database).take({ bucket: "b", actor: "new", limit: 5, windowMs: MINUTE_MS, now: 2 * MINUTE_MS });
  expect(actors()).toEqual(["new"]);
});
