import { expect, it } from "vitest";
import { collect } from "./collect.js";

it("asks a few at a time and gives the answers in the order of those asked", async () => {
  const gates: (() => void)[] = [];
  let busy = 0;
  let most = 0;
  const ask = async (item: number): Promise<string> => {
    busy += 1;
    most = Math.max(most, busy);
    await new Promise<void>((resolve) => gates.push(resolve));
    busy -= 1;
    return `answer ${item}`;
  };
  const all = collect([1, 2, 3, 4, 5], ask, { atOnce: 2, timeoutMs: 60_000 });
  for (let released = 0; released < 5; released++) {
    gates.pop()?.();
    await new Promise(setImmediate);
  }
  expect(await all).toEqual([1, 2, 3, 4, 5].map((item) => `answer ${item}`));
  expect(most).toBe(2);
});

it("goes without who does not answer in time", async () => {
  const ask = (item: string): Promise<string> =>
    item === "slow" ? new Promise(() => undefined) : Promise.resolve(item);
  expect(await collect(["slow", "a", "b"], ask, { atOnce: 2, timeoutMs: 20 })).toEqual(["a", "b"]);
});

it("returns nothing without servers", async () => {
  expect(await collect([], () => Promise.resolve(1), { atOnce: 4, timeoutMs: 1000 })).toEqual([]);
});
