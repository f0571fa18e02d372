import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/gateway.js";
import { GROUPS, ROWS } from "./rows.mjs";

/** The faults that are known, by group; the numbers that are missing were given up or are part of others. */
const KNOWN: Record<string, readonly number[]> = {
  P: [1, 2, 3, 5, 6, 8, 9, 10, 11, 12, 14],
  C: [1, 2, 3, 4, 6, 7, 8, 9, 11, 12],
  R: [1, 2, 3, 5, 7, 8],
  V: [1, 2, 3, 4, 5, 6, 8, 9, 10, 11],
  O: [1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16],
  I: [1, 2, 3, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 18, 19],
  A: [1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 13],
  S: [1, 2, 4, 5, 6, 7, 9, 10],
  U: [1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 14, 15, 16, 17, 19, 20, 21, 22, 23],
  H: [1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19],
  L: [1, 2, 3, 4, 5, 6, 8, 9, 10],
  W: [1, 3, 4, 5, 6, 8, 9],
  G: [1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12],
  X: [1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14],
};

describe("the rows of the fault suite", () => {
  it.each(Object.values(GROUPS))("of $title try every known fault, or say why not", ({ letter, rows, untried }) => {
    const named = [...rows.flatMap(({ ids }) => ids), ...Object.keys(untried)];
    expect([...new Set(named)].toSorted()).toEqual(KNOWN[letter]?.map((number) => `${letter}${number}`).toSorted());
  });

  it("have names of their own", () => {
    const names = ROWS.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  it("name files that exist", () => {
    const files = ROWS.flatMap((row) =>
      "tests" in row ? row.tests.map(({ file }) => file) : [`test/faults/rows/${row.group}/${row.name}.ts`],
    );
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});
