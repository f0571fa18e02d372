import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readModel } from "./model.js";

const file = readFileSync(new URL("../../../model/tools.bin", import.meta.url));

function changed(change: (bytes: Buffer) => void, updatesHash = true): Buffer {
  const bytes = Buffer.from(file);
  change(bytes);
  if (updatesHash)
    createHash("sha256")
      .update(bytes.subarray(0, -32))
      .digest()
      .copy(bytes, bytes.length - 32);
  return bytes;
}

describe("readModel", () => {
  it("reads the model of this package", () => {
    const { dims, vocabulary, vectors, scales, parts } = readModel(file);
    expect({ dims, parts: parts.length }).toEqual({ dims: 256, parts: 6 });
    const pieces = new TextDecoder().decode(vocabulary).split("\n").length;
    expect(vectors).toHaveLength(pieces * dims);
    expect(scales).toHaveLength(pieces);
    expect(file.length).toBeLessThanOrEqual(8 * 1024 * 1024);
  });

  it.each([
    ["an empty file", Buffer.alloc(0), "it is not a model file"],
    ["another file", Buffer.alloc(100, "a"), "it is not a model file"],
    ["a truncated file", file.subarray(0, 1_000_000), "its checksum is wrong"],
    ["a changed byte", changed((bytes) => bytes.writeUInt8(7, 5_000_000), false), "its checksum is wrong"],
    ["another version", changed((bytes) => bytes.writeUInt32LE(2, 8)), "it has version 2, not 1"],
  ])("rejects %s", (_, bytes, reason) => {
    expect(() => readModel(bytes)).toThrow(reason);
  });
});
