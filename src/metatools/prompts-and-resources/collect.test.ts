import { expect, it } from "vitest";
import { collect } from "./collect.js";

it("limits the number of concurrent requests, and returns the results in the order of the items", async () => {
  const gates: (() => void)[] = [];
  let busy = 0;
  let maxBusy = 0;
  const request = async (item: number): Promise<string> => {
    busy += 1;
    maxBusy = Math.max(maxBusy, busy);
    await new Promise<void>((resolve) => gates.push(resolve));
    busy -= 1;
    return `answer ${item}`;
  };
  const all = collect([1, 2, 3, 4, 5], request, { concurrency: 2, timeoutMs: 60_000 });
  for (let released = 0; released < 5; released++) {
    gates.pop()?.();
    await new Promise(setImmediate);
  }
  expect(await all).toEqual([1, 2, 3, 4, 5].map((item) => `answer ${item}`));
  expect(maxBusy).toBe(2);
});

it("omits results that do not arrive in time", async () => {
  const request = (item: string): Promise<string> =>
    item === "slow" ? new Promise(() => undefined) : Promise.resolve(item);
  expect(await collect(["slow", "a", "b"], request, { concurrency: 2, timeoutMs: 20 })).toEqual(["a", "b"]);
});

it("returns nothing without items", async () => {
  expect(await collect([], () => Promise.resolve(1), { concurrency: 4, timeoutMs: 1000 })).toEqual([]);
});
