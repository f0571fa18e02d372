import { describe, expect, it } from "vitest";
import { chainHash } from "./chain-hash.js";

describe("the chain's hash", () => {
  it("is this one for all time, or no older record can be verified", () => {
    expect(chainHash(1, "0".repeat(64), '{"kind":"note"}')).toBe(
      "57348eefbb8da1982d0e235de613c824b7f11f552e9b48cc01cc5f54ef157b1d",
    );
  });
});
