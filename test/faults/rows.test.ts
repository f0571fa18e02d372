import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/gateway.js";
import { GROUPS, ROWS } from "./rows.mjs";

/** The known faults, by group. Missing numbers were dropped or merged into other faults. */
const KNOWN: Record<string, readonly number[]> = {
  P: [1, 2, 3, 5, 6, 8, 9, 10, 11, 12, 14],
  C: [1, 2, 3, 4, 6, 7, 8, 9, 11, 12],
  R: [1, 2, 3, 5, 7, 8],
  V: [1, 2, 3, 4, 5, 6, 8, 9, 10, 11],
  O: [1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16],
  I: [1, 2, 3, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 18, 19],
  A: [1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 13],
  S: [1, 2, 4, 5, 6, 7, 9, 10],
  U: [1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 14, 15, 16, 17, 19, 20, 21, 22, 23, 24],
  H: [1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19],
  L: [1, 2, 3, 4, 5, 6, 8, 9, 10],
  W: [1, 3, 4, 5, 6, 8, 9],
  G: [1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12],
  X: [1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14],
};

/** Faults that only `npm run faults` injects, because they take minutes or need large counts. `npm test` covers all others too. */
const FULL_RUN_ONLY = new Set(
  [
    "P2 P11 P14 C12 R7 R8 V9 V10 O16 I7 I8 I19 A1 A2 A10 A11 S7 S9 U6 U16 U19 U20 U21 U23",
    "H18 L1 L2 L3 L4 L5 L6 L8 L9 L10 W6 G11 X3 X9",
  ].flatMap((ids) => ids.split(" ")),
);

describe("the rows of the fault suite", () => {
  it.each(Object.values(GROUPS))("of $title cover every known fault or state why not", ({ letter, rows, untried }) => {
    const named = [...rows.flatMap(({ ids }) => ids), ...Object.keys(untried)];
    expect([...new Set(named)].toSorted()).toEqual(KNOWN[letter]?.map((number) => `${letter}${number}`).toSorted());
  });

  it("have unique names", () => {
    const names = ROWS.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  it("name files that exist", () => {
    const files = ROWS.flatMap((row) =>
      "tests" in row ? row.tests.map(({ file }) => file) : [`test/faults/rows/${row.group}/${row.name}.ts`],
    );
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it("name tests that exist", () => {
    const tests = ROWS.flatMap((row) => ("tests" in row ? row.tests : []));
    expect(tests.filter(({ file, named = "" }) => !sourceOf(file).includes(named))).toEqual([]);
  });

  it("run in a test with small counts unless all their faults are for the full run only", () => {
    const covered = new Set(["src", "test"].flatMap(rowsUsedIn));
    const driven = ROWS.filter((row) => !("tests" in row) && row.ids.some((id) => !FULL_RUN_ONLY.has(id)));
    const uncovered = driven.map(({ group, name }) => `${group}/${name}`).filter((row) => !covered.has(row));
    expect(uncovered).toEqual([]);
  });

  it("leave only faults of the full run untried", () => {
    const untried = Object.values(GROUPS).flatMap((group) => Object.keys(group.untried));
    expect(untried.filter((id) => !FULL_RUN_ONLY.has(id))).toEqual([]);
  });
});

/** A test file with the files of its folder: `store.long.test.ts` takes its tests from `store/`. */
function sourceOf(file: string): string {
  const folder = join(ROOT, file.replace(/(\.long)?\.test\.ts$/, ""));
  const parts = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  return [join(ROOT, file), ...parts.filter((path) => path.endsWith(".ts"))]
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");
}

/** The rows that tests in the folder import and use. */
function rowsUsedIn(folder: string): string[] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".test.ts"))
    .flatMap((file) => {
      const text = readFileSync(join(ROOT, folder, file), "utf8");
      return [...text.matchAll(/^import \{ (\w+) \} from "[./\w]+\/rows\/([\w-]+\/[\w-]+)\.js";$/gm)]
        .filter(([, name]) => text.split(new RegExp(`\\b${name}\\b`)).length > 2)
        .map(([, , row]) => row!);
    });
}
