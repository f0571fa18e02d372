import { describe, expect, it } from "vitest";
import { createLikenessIndex } from "./likeness.js";
import type { Meaning, Vector } from "./meaning.js";

/** Texts are "x,y": a point whose direction is their meaning. */
function toVector(text: string): Vector {
  const values = new Int8Array(16);
  const [x = 0, y = 0] = text.split(",").map(Number);
  values.set([x, y]);
  return { values, scale: x === 0 && y === 0 ? 0 : 1 / Math.hypot(x, y) };
}

const meaning: Meaning = {
  dims: 16,
  readQuery: toVector,
  readTool: ({ name }) => ({ ...toVector(name), pieces: new Uint16Array() }),
  comparePieces: () => () => ({ answered: 0, name: 0, server: 0 }),
};

function indexOf(...names: readonly string[]) {
  const vectors = names.map(toVector);
  const values = Int8Array.from(vectors.flatMap((vector) => [...vector.values]));
  const scales = Float32Array.from(vectors, ({ scale }) => scale);
  return createLikenessIndex([{ meanings: { values, scales } }], names.length, meaning);
}

const acceptAll = (): boolean => true;

describe("createLikenessIndex", () => {
  it("returns the nearest accepted documents first", () => {
    const likeness = indexOf("0,9", "9,1", "9,9", "9,0", "0,1").compare("9,0", []);
    expect(likeness.nearest(3, acceptAll)).toEqual([3, 1, 2]);
    expect(likeness.nearest(2, (document) => document !== 3)).toEqual([1, 2]);
    expect(likeness.toWhole(3)).toBeCloseTo(1);
    expect(likeness.toWhole(0)).toBeCloseTo(0);
  });

  it("returns the similarity to the nearest clause if a query has several", () => {
    const likeness = indexOf("0,9").compare("9,9", ["9,0", "0,9"]);
    expect(likeness.toWhole(0)).toBeCloseTo(Math.SQRT1_2);
    expect(likeness.toParts(0)).toBeCloseTo(1);
  });

  it("finds nothing near a text without meaning, and nothing in an empty index", () => {
    expect(indexOf("9,0").compare("0,0", []).nearest(5, acceptAll)).toEqual([]);
    expect(indexOf().compare("9,0", []).nearest(5, acceptAll)).toEqual([]);
  });
});
