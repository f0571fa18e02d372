import { describe, expect, it } from "vitest";
import { createSigner } from "./signer.js";

const signer = createSigner(Buffer.alloc(32, 7));
const checkpoint = signer.sign({ seq: 3, hash: "ab" }, 1000);

describe("a checkpoint's signature", () => {
  it("is this one for all time, or no older record can be verified", () => {
    expect(checkpoint).toEqual({
      seq: 3,
      hash: "ab",
      at: 1000,
      keyId: "324be2dea8bc4446",
      signature: "dtaD+kDxNzBE7a5/AT4NeKfBRlq6gD/gzjer6ycrOJobyDLpH6uSYYEh33Km8IAZdEqhVCwRacTX6fafCwdcBw==",
    });
  });

  it.each([
    ["as it was made", {}, true],
    ["of another number", { seq: 4 }, false],
    ["of another hash", { hash: "ac" }, false],
    ["of another time", { at: 1001 }, false],
    ["by another key", { keyId: "0".repeat(16) }, false],
    ["that is empty", { signature: "" }, false],
    ["that is spelt in another way", { signature: checkpoint.signature.replace(/=+$/, "") }, false],
    ["that is no base64", { signature: "%" }, false],
  ])("%s, %j: %s", (_name, change, isGood) => {
    expect(signer.isSigned({ ...checkpoint, ...change })).toBe(isGood);
  });

  it("of a stranger does not count, even under our name", () => {
    const stranger = createSigner(Buffer.alloc(32, 8));
    expect(signer.isSigned({ ...stranger.sign(checkpoint, 1000), keyId: signer.keyId })).toBe(false);
  });
});
