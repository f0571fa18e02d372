import { describe, expect, it } from "vitest";
import { chainHash } from "./chain-hash.js";

describe("chainHash", () => {
  it("never changes, because older records could not be verified with another formula", () => {
    expect(chainHash(1, "0".repeat(64), '{"kind":"note"}')).toBe(
      "57348eefbb8da1982d0e235de613c824b7f11f552e9b48cc01cc5f54ef157b1d",
    );
  });
});
