import { expect, it } from "vitest";
import { createLoginThrottle } from "./login-throttle.js";

const [WRONG, GOOD] = [Buffer.from("wrong"), Buffer.from("good")];

it("lets a few wrong tokens pass and then makes each wait twice as long, up to a minute", () => {
  let now = 1000;
  const failures = createLoginThrottle({ elapsed: () => now });
  const waits: number[] = [];
  for (let time = 0; time < 20; time += 1) {
    now += failures.waitMs("a", WRONG);
    failures.failed("a", WRONG);
    waits.push(failures.waitMs("a", WRONG));
  }
  expect(waits.slice(0, 9)).toEqual(Array(9).fill(0));
  expect(waits.slice(9)).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000, 60_000, 60_000]);
});

it("allows no more than a few guesses a minute, however many come", () => {
  let now = 0;
  const failures = createLoginThrottle({ elapsed: () => now });
  let looked = 0;
  for (let guess = 0; guess < 10_000; guess += 1) {
    now = guess * 6;
    if (failures.waitMs("a", WRONG) > 0) continue;
    looked += 1;
    failures.failed("a", WRONG);
  }
  expect(looked).toBeLessThanOrEqual(16);
});

it("does not throttle other callers, nor one that had the right token before", () => {
  const failures = createLoginThrottle({ elapsed: () => 5 });
  failures.succeeded(GOOD);
  for (let time = 0; time < 50; time += 1) failures.failed("a", WRONG);
  expect(failures.waitMs("b", WRONG)).toBe(0);
  expect(failures.waitMs("a", GOOD)).toBe(0);
  expect(failures.waitMs("a", WRONG)).toBeGreaterThan(0);
  failures.failed("a", GOOD);
  expect(failures.waitMs("a", GOOD)).toBeGreaterThan(0);
});

it("forgets after ten quiet minutes, and keeps no more than ten thousand places", () => {
  let now = 0;
  const failures = createLoginThrottle({ elapsed: () => now });
  for (let time = 0; time < 12; time += 1) failures.failed("a", WRONG);
  now = 600_000;
  failures.failed("a", WRONG);
  expect(failures.waitMs("a", WRONG)).toBe(0);
  for (let time = 0; time < 12; time += 1) failures.failed("b", WRONG);
  for (let source = 0; source < 10_000; source += 1) failures.failed(`other ${source}`, WRONG);
  expect(failures.waitMs("b", WRONG)).toBe(0);
});
