import { describe, expect, it } from "vitest";
import { expectLinear } from "../../test/support/cost.js";
import { createLineReader, type Overflow } from "./line-reader.js";

function read(chunks: readonly (string | Buffer)[], maxBytes = 1024): { lines: string[]; overflows: Overflow[] } {
  const lines: string[] = [];
  const overflows: Overflow[] = [];
  const reader = createLineReader({
    maxBytes,
    onLine: (line) => lines.push(line.toString("utf8")),
    onOverflow: (overflow) => overflows.push(overflow),
  });
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  reader.end();
  return { lines, overflows };
}

describe("createLineReader", () => {
  it.each([
    ["splits at line feeds", ["a\nb\n"], ["a", "b"]],
    ["joins a line that arrives in chunks", ["a", "b", "c\nd"], ["abc", "d"]],
    ["drops the carriage return of a line", ["a\r\nb\r", "\n"], ["a", "b"]],
    ["keeps empty lines", ["\n\na\n"], ["", "", "a"]],
    ["returns the rest as a line at the end", ["a\nrest"], ["a", "rest"]],
    ["returns nothing for an empty stream", [], []],
  ])("%s", (_name, chunks, expected) => {
    expect(read(chunks).lines).toEqual(expected);
  });

  it("keeps a character intact when a chunk ends inside it", () => {
    const bytes = Buffer.from("é\n");
    expect(read([bytes.subarray(0, 1), bytes.subarray(1)]).lines).toEqual(["é"]);
  });

  it.each([
    ["a line of exactly the limit", "x".repeat(10), 0],
    ["a line of exactly the limit with a carriage return", `${"x".repeat(10)}\r`, 0],
    ["a line one byte longer", "x".repeat(11), 1],
    ["a line two bytes longer", "x".repeat(12), 1],
  ])("treats %s correctly", (_name, line, overflows) => {
    const result = read([`${line}\nnext\n`], 10);
    expect(result.overflows).toHaveLength(overflows);
    expect(result.lines.at(-1)).toBe("next");
  });

  it("skips a line that is too long, and reports its start, its end and its size", () => {
    const long = `begin${"x".repeat(20_000)}end`;
    const { lines, overflows } = read(["before\n", long.slice(0, 9_000), long.slice(9_000), "\nafter\n"], 100);
    expect(lines).toEqual(["before", "after"]);
    expect(overflows).toHaveLength(1);
    expect(overflows[0]!.head.toString()).toMatch(/^beginx/);
    expect(overflows[0]!.tail.toString()).toMatch(/xend$/);
    expect(overflows[0]!.bytes).toBe(long.length);
  });

  it("reads a line of 50 MB", () => {
    const piece = Buffer.alloc(64 * 1024, "x");
    const { lines } = read([...Array<Buffer>(800).fill(piece), "\n"], 64 * 1024 * 1024);
    expect(lines[0]).toHaveLength(800 * piece.length);
  });

  it("reads a line in time that is proportional to the number of its pieces", async () => {
    // Small pieces: for a line of 50 MB, most of the time would be the operating system's, for new memory.
    const piece = Buffer.alloc(64, "x");
    await expectLinear(
      (pieces) => () => {
        const { lines } = read([...Array<Buffer>(pieces).fill(piece), "\n"], 64 * 1024 * 1024);
        expect(lines[0]).toHaveLength(pieces * piece.length);
      },
      2_000,
    );
  });
});
