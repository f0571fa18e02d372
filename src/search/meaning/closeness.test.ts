import { describe, expect, it, vi } from "vitest";
import { createPieceComparer, createPieceKeeper, NO_PIECE, TOOL_PIECES } from "./closeness.js";

const DIMS = 16;

/** Pieces in the order of these points; each weighs its length times its scale. */
function createComparer(points: readonly (readonly [number, number])[], scales = points.map(() => 1)) {
  const vectors = new Int8Array(points.length * DIMS);
  for (const [at, point] of points.entries()) vectors.set(point, at * DIMS);
  return createPieceComparer({ dims: DIMS, vectors, scales: Float32Array.from(scales) });
}

/** A tool with a name, a server and a first sentence, as piece numbers. */
function toolOf({ name = [], server = [], first = [] }: { name?: number[]; server?: number[]; first?: number[] }) {
  const keeper = createPieceKeeper();
  for (const part of [name, server, first, [], [], []]) keeper.keep(Int32Array.from(part), part.length);
  return keeper.take();
}

const [EAST, NORTH, NORTH_EAST, WEST] = [0, 1, 2, 3];
const compass = createComparer([
  [100, 0],
  [0, 100],
  [100, 100],
  [-100, 0],
]);

describe("createPieceComparer", () => {
  it("returns how near the nearest piece of a tool is to each piece of a query", () => {
    const compare = compass(Int32Array.from([EAST, NORTH]));
    expect(compare(toolOf({ first: [EAST, NORTH] })).answered).toBeCloseTo(1);
    expect(compare(toolOf({ first: [EAST] })).answered).toBeCloseTo(0.5);
    expect(compare(toolOf({ first: [NORTH_EAST] })).answered).toBeCloseTo(Math.SQRT1_2);
    expect(compare(toolOf({ first: [WEST] })).answered).toBe(0);
  });

  it("returns how much of the names of a tool and its server a query contains", () => {
    const compare = compass(Int32Array.from([EAST]));
    const { name, server } = compare(toolOf({ name: [EAST, NORTH], server: [EAST], first: [WEST] }));
    expect(name).toBeCloseTo(100 / 200);
    expect(server).toBeCloseTo(1);
  });

  it("weighs a piece of the server's name less than one of the tool's name", () => {
    const compare = compass(Int32Array.from([EAST]));
    expect(compare(toolOf({ server: [EAST] })).answered).toBeCloseTo(0.8);
    expect(compare(toolOf({ name: [EAST] })).answered).toBeCloseTo(1);
  });

  it("weighs pieces by length and scale", () => {
    const comparePieces = createComparer(
      [
        [100, 0],
        [0, 50],
      ],
      [1, 6],
    );
    expect(comparePieces(Int32Array.from([0, 1]))(toolOf({ first: [1] })).answered).toBeCloseTo(300 / 400);
  });

  it("returns 0 for an empty query or an empty tool", () => {
    const nothing = { answered: 0, name: 0, server: 0 };
    expect(compass(new Int32Array())(toolOf({ name: [EAST], server: [EAST] }))).toEqual(nothing);
    expect(compass(Int32Array.from([EAST]))(toolOf({}))).toEqual(nothing);
    expect(compass(Int32Array.from([EAST]))(new Uint16Array())).toEqual(nothing);
    expect(createComparer([[0, 0]])(Int32Array.from([0]))(toolOf({ name: [0] }))).toEqual(nothing);
  });

  it("does not depend on the previous query", () => {
    const tool = toolOf({ name: [EAST] });
    expect(compass(Int32Array.from([EAST]))(tool).name).toBeCloseTo(1);
    expect(compass(Int32Array.from([NORTH]))(tool).name).toBe(0);
  });

  it("reads the first forty pieces of a query", () => {
    const compare = compass(Int32Array.from([...Array.from({ length: 40 }, () => EAST), NORTH, NORTH]));
    expect(compare(toolOf({ first: [EAST] })).answered).toBeCloseTo(1);
  });

  it("gives the same result without WebAssembly", () => {
    vi.stubGlobal("WebAssembly", undefined);
    try {
      const plain = createComparer([
        [100, 0],
        [70, 30],
      ]);
      expect(plain(Int32Array.from([0]))(toolOf({ name: [1] })).name).toBe(70 / Math.sqrt(70 * 70 + 30 * 30));
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

describe("createPieceKeeper", () => {
  it("keeps the first pieces of each part at the position of the part", () => {
    const name = Array.from({ length: 20 }, (_, at) => at);
    const kept = toolOf({ name, server: [7], first: [8, 9] });
    expect(kept).toHaveLength(TOOL_PIECES);
    expect([...kept.subarray(0, 12)]).toEqual(name.slice(0, 12));
    expect([...kept.subarray(12, 21)]).toEqual([7, ...Array.from({ length: 5 }, () => NO_PIECE), 8, 9, NO_PIECE]);
  });

  it("starts empty for every tool", () => {
    const keeper = createPieceKeeper();
    keeper.keep(Int32Array.from([1, 2, 3]), 3);
    keeper.take();
    keeper.keep(Int32Array.from([4, 5, 6]), 1);
    expect([...keeper.take().subarray(0, 3)]).toEqual([4, NO_PIECE, NO_PIECE]);
  });
});
