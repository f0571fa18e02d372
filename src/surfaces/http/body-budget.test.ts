import { describe, expect, it } from "vitest";
import { createBodyBudget } from "./body-budget.js";
import { RefusedRequest } from "./refusal.js";

const keys = Buffer.from(`{${Array.from({ length: 25_000 }, (_, at) => `"k${at}":0`).join(",")}}`);
const plain = Buffer.from(`{"text":"${"x".repeat(1_000_000)}"}`);
const small = Buffer.from('{"text":"a"}');

function create() {
  let now = 0;
  const budget = createBodyBudget({ elapsed: () => now });
  const isAccepted = (bytes: Buffer, actor = "ann"): boolean => {
    try {
      budget.spend(actor, bytes);
      return true;
    } catch (error) {
      if (!(error instanceof RefusedRequest) || error.refusal.status !== 429) throw error;
      return false;
    }
  };
  const countAccepted = (bytes: Buffer, tries: number, actor = "ann"): number =>
    Array.from({ length: tries }, () => isAccepted(bytes, actor)).filter(Boolean).length;
  return { isAccepted, countAccepted, wait: (ms: number) => (now += ms) };
}

describe("the budget for request bodies", () => {
  it("ends after some bodies with many keys, for that caller only", () => {
    const { isAccepted, countAccepted } = create();
    expect(countAccepted(keys, 1_000)).toBeLessThan(20);
    expect(isAccepted(keys, "bob")).toBe(true);
    expect(isAccepted(small)).toBe(true);
  });

  it("allows many more bodies of text", () => {
    const { countAccepted } = create();
    const { countAccepted: countKeys } = create();
    expect(countAccepted(plain, 1_000)).toBeGreaterThan(20 * countKeys(keys, 1_000));
  });

  it("never ends for small bodies", () => {
    expect(create().countAccepted(small, 20_000)).toBe(20_000);
  });

  it("is available again after a pause, and says when", () => {
    const { isAccepted, countAccepted, wait } = create();
    countAccepted(keys, 1_000);
    expect(isAccepted(keys)).toBe(false);
    wait(1_000);
    expect(isAccepted(keys)).toBe(true);
    wait(60_000);
    expect(countAccepted(keys, 1_000)).toBeGreaterThan(5);
  });
});
