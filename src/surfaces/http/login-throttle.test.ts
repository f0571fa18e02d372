import { expect, it } from "vitest";
import { createLoginThrottle } from "./login-throttle.js";

it("doubles the wait with each invalid token after the first ten, up to one minute", () => {
  let now = 1000;
  const throttle = createLoginThrottle({ elapsed: () => now });
  const waits: number[] = [];
  for (let time = 0; time < 20; time += 1) {
    now += throttle.waitMs("a");
    throttle.failed("a");
    waits.push(throttle.waitMs("a"));
  }
  expect(waits.slice(0, 9)).toEqual(Array(9).fill(0));
  expect(waits.slice(9)).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000, 60_000, 60_000]);
});

it("checks only a few of many guesses per minute", () => {
  let now = 0;
  const throttle = createLoginThrottle({ elapsed: () => now });
  let checked = 0;
  for (let guess = 0; guess < 10_000; guess += 1) {
    now = guess * 6;
    if (throttle.waitMs("a") > 0) continue;
    checked += 1;
    throttle.failed("a");
  }
  expect(checked).toBeLessThanOrEqual(16);
});

it("does not throttle other addresses", () => {
  const throttle = createLoginThrottle({ elapsed: () => 5 });
  for (let time = 0; time < 50; time += 1) throttle.failed("a");
  expect([throttle.waitMs("a") > 0, throttle.waitMs("b")]).toEqual([true, 0]);
});

it("forgets throttle after ten minutes, and stores at most 10,000 addresses", () => {
  let now = 0;
  const throttle = createLoginThrottle({ elapsed: () => now });
  for (let time = 0; time < 12; time += 1) throttle.failed("a");
  now = 600_000;
  throttle.failed("a");
  expect(throttle.waitMs("a")).toBe(0);
  for (let time = 0; time < 12; time += 1) throttle.failed("b");
  for (let source = 0; source < 10_000; source += 1) throttle.failed(`other ${source}`);
  expect(throttle.waitMs("b")).toBe(0);
});
