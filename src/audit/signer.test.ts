import { describe, expect, it } from "vitest";
import { createSigner } from "./signer.js";

const signer = createSigner(Buffer.alloc(32, 7));
const checkpoint = signer.sign({ seq: 3, hash: "ab" }, 1000);

describe("createSigner", () => {
  it("never changes its signature, because older checkpoints could not be verified with another format", () => {
    expect(checkpoint).toEqual({
      seq: 3,
      hash: "ab",
      at: 1000,
      keyId: "324be2dea8bc4446",
      signature: "dtaD+kDxNzBE7a5/AT4NeKfBRlq6gD/gzjer6ycrOJobyDLpH6uSYYEh33Km8IAZdEqhVCwRacTX6fafCwdcBw==",
    });
  });

  it.each([
    ["an unchanged checkpoint", {}, true],
    ["another sequence number", { seq: 4 }, false],
    ["another hash", { hash: "ac" }, false],
    ["another time", { at: 1001 }, false],
    ["another key id", { keyId: "0".repeat(16) }, false],
    ["an empty signature", { signature: "" }, false],
    ["a signature without padding", { signature: checkpoint.signature.replace(/=+$/, "") }, false],
    ["a signature that is not Base64", { signature: "%" }, false],
  ])("verifies %s (%j): %s", (_name, change, isGood) => {
    expect(signer.isSigned({ ...checkpoint, ...change })).toBe(isGood);
  });

  it("rejects a signature of another key, even with the same key id", () => {
    const stranger = createSigner(Buffer.alloc(32, 8));
    expect(signer.isSigned({ ...stranger.sign(checkpoint, 1000), keyId: signer.keyId })).toBe(false);
  });
});
