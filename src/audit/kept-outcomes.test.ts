import { describe, expect, it } from "vitest";
import type { ChainBody } from "./chain.js";
import { createKeptOutcomes } from "./kept-outcomes.js";

const outcome = (request_id: string, error_code?: string): ChainBody => ({
  kind: "outcome",
  request_id,
  timestamp: "2026-01-01T00:00:00.000Z",
  ...(error_code === undefined ? {} : { error_code }),
});

/** A store that takes outcomes when it can. */
function createTaker() {
  const taken: string[] = [];
  const taker = { taken, isFull: false };
  const kept = createKeptOutcomes(async (outcomes) => {
    await Promise.resolve();
    if (taker.isFull) throw new Error("full");
    taken.push(...outcomes.map(({ request_id }) => request_id));
  });
  return { taker, kept };
}

describe("kept outcomes", () => {
  it("are written once and in order, however many ask for it", async () => {
    const { taker, kept } = createTaker();
    for (const id of ["r1", "r2"]) kept.keep(outcome(id));
    await Promise.all([kept.write(), kept.write()]);
    kept.keep(outcome("r3"));
    await kept.write();
    await kept.write();
    expect(taker.taken).toEqual(["r1", "r2", "r3"]);
    expect(kept.count).toBe(0);
  });

  it("stay kept when the store cannot take them, with those that come meanwhile after them", async () => {
    const { taker, kept } = createTaker();
    taker.isFull = true;
    kept.keep(outcome("r1"));
    const writing = kept.write();
    await Promise.resolve();
    kept.keep(outcome("r2"));
    await expect(writing).rejects.toThrow("full");
    expect(kept.count).toBe(2);
    taker.isFull = false;
    await kept.write();
    expect(taker.taken).toEqual(["r1", "r2"]);
  });

  it("are a thousand at most; what was only refused for want of a record gives way to the rest", async () => {
    const { taker, kept } = createTaker();
    kept.keep(outcome("ran"));
    for (let n = 0; n < 1500; n += 1) kept.keep(outcome(`refused-${n}`, "AUDIT_UNAVAILABLE"));
    expect(kept.count).toBe(1000);
    for (let n = 0; n < 1500; n += 1) kept.keep(outcome(`late-${n}`));
    expect(kept.count).toBe(1000);
    await kept.write();
    expect([taker.taken[0], taker.taken[1], taker.taken.at(-1)]).toEqual(["ran", "late-0", "late-998"]);
  });
});
