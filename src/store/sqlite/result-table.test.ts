import { afterEach, expect, it } from "vitest";
import { expectCpuTime } from "../../../test/support/cost.js";
import { storedResult } from "../../../test/support/stored-result.js";
import type { Database } from "./driver.js";
import { IN_MEMORY, openDatabase } from "./open-database.js";
import { createResultTable } from "./result-table.js";

const opened: Database[] = [];
afterEach(() => {
  for (const database of opened.splice(0)) database.close();
});

/** A full table: every further result of this actor drops the oldest one. */
function fill(count: number) {
  const database = openDatabase(IN_MEMORY);
  opened.push(database);
  const table = createResultTable(database);
  const quotas = { maxBytes: 1e9, maxBytesPerActor: 1e9, maxResults: count, maxResultsPerActor: count / 2 };
  let next = 0;
  const add = (actor: string): void => {
    table.add(storedResult(`r${next}`, { actor }), quotas);
    next += 1;
  };
  for (let n = 0; n < count; n += 1) add(n % 2 === 0 ? "ann" : "bob");
  const findLast = (): unknown => table.find(`r${next - 1}`, "ann", 2000)?.kind;
  return { database, add, findLast };
}

it("adds, drops and finds a result as fast among ten thousand as among a hundred", async () => {
  const work =
    ({ add, findLast }: ReturnType<typeof fill>) =>
    () => {
      for (let n = 0; n < 500; n += 1) {
        add("ann");
        expect(findLast()).toBe("stored");
      }
    };
  await expectCpuTime(work(fill(10_000)), { maxRatio: 4, control: work(fill(100)) });
});

it("removes a limited number of expired results with each new one, so that no call waits for many removals", () => {
  const { database } = fill(100);
  const count = (): unknown => database.prepare("SELECT count(*) AS count FROM results").get()?.["count"];
  const table = createResultTable(database);
  const quotas = { maxBytes: 1e9, maxBytesPerActor: 1e9, maxResults: 1000, maxResultsPerActor: 1000 };
  const createdAt = 1000 + 86_400_000;
  table.add(storedResult("new", { createdAt, expiresAt: createdAt + 1 }), quotas);
  expect(count()).toBe(81);
  table.removeExpired(createdAt);
  expect(count()).toBe(1);
});
