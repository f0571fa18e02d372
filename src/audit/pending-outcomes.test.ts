import { describe, expect, it } from "vitest";
import type { ChainBody } from "./chain.js";
import { createPendingOutcomes } from "./pending-outcomes.js";

const outcome = (request_id: string, error_code?: string): ChainBody => ({
  kind: "outcome",
  request_id,
  timestamp: "2026-01-01T00:00:00.000Z",
  ...(error_code === undefined ? {} : { error_code }),
});

/** A store that accepts outcomes unless it is full. */
function createFakeStore() {
  const stored: string[] = [];
  const store = { stored, isFull: false };
  const pending = createPendingOutcomes(async (outcomes) => {
    await Promise.resolve();
    if (store.isFull) throw new Error("full");
    stored.push(...outcomes.map(({ request_id }) => request_id));
  });
  return { store, pending };
}

describe("createPendingOutcomes", () => {
  it("writes outcomes once and in order for concurrent callers", async () => {
    const { store, pending } = createFakeStore();
    for (const id of ["r1", "r2"]) pending.add(outcome(id));
    await Promise.all([pending.write(), pending.write()]);
    pending.add(outcome("r3"));
    await pending.write();
    await pending.write();
    expect(store.stored).toEqual(["r1", "r2", "r3"]);
    expect(pending.count).toBe(0);
  });

  it("keeps outcomes that the store rejects, followed by those that arrive meanwhile", async () => {
    const { store, pending } = createFakeStore();
    store.isFull = true;
    pending.add(outcome("r1"));
    const writing = pending.write();
    await Promise.resolve();
    pending.add(outcome("r2"));
    await expect(writing).rejects.toThrow("full");
    expect(pending.count).toBe(2);
    store.isFull = false;
    await pending.write();
    expect(store.stored).toEqual(["r1", "r2"]);
  });

  it("keeps at most 1,000, and first drops calls that failed only because they could not be recorded", async () => {
    const { store, pending } = createFakeStore();
    pending.add(outcome("ran"));
    for (let n = 0; n < 1500; n += 1) pending.add(outcome(`refused-${n}`, "AUDIT_UNAVAILABLE"));
    expect(pending.count).toBe(1000);
    for (let n = 0; n < 1500; n += 1) pending.add(outcome(`late-${n}`));
    expect(pending.count).toBe(1000);
    await pending.write();
    expect([store.stored[0], store.stored[1], store.stored.at(-1)]).toEqual(["ran", "late-0", "late-998"]);
  });
});
