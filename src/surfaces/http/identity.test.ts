import { expect, it } from "vitest";
import { identifyByToken } from "./identity.js";

const TOKEN = "q".repeat(43);
const identify = identifyByToken(TOKEN);

it.each([`Bearer ${TOKEN}`, `bearer ${TOKEN}`, `BEARER  ${TOKEN} `])("knows who sends %s", (authorization) => {
  expect(identify(authorization)).toEqual({ kind: "known", actor: { id: "local", surface: "http" } });
});

it("knows nobody who sends nothing, and refuses all else", () => {
  expect(identify(undefined)).toEqual({ kind: "nobody" });
  for (const wrong of ["", "Bearer", "Bearer ", TOKEN, `Bearer${TOKEN}`, `Bearer ${TOKEN}q`, `Basic ${TOKEN}`]) {
    expect(identify(wrong)).toEqual({ kind: "wrong" });
  }
});

it("takes as long for a guess that is right up to its last letter as for one that is wrong from the first", () => {
  const guesses = [`Bearer p${TOKEN.slice(1)}`, `Bearer ${TOKEN.slice(0, -1)}p`];
  const fastest = [Infinity, Infinity];
  // In turns and the fastest of many, so that it does not matter what else the machine does.
  for (let round = 0; round < 400; round += 1) {
    for (const [index, guess] of guesses.entries()) {
      const from = process.hrtime.bigint();
      for (let time = 0; time < 50; time += 1) identify(guess);
      fastest[index] = Math.min(fastest[index] ?? 0, Number(process.hrtime.bigint() - from));
    }
  }
  const [first = 0, last = 0] = fastest;
  expect(Math.abs(first - last) / Math.max(first, last)).toBeLessThan(0.25);
});
