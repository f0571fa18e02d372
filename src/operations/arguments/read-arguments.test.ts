import { createReadStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readArguments } from "./read-arguments.js";

let cwd: string;

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "anygpt-arguments-"));
  writeFileSync(join(cwd, "args.json"), '{"path": "a", // where\n}');
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const { signal } = new AbortController();
const read = (text: string | undefined, file?: string, stdin = "") =>
  readArguments({ text, file }, { cwd, signal, stdin: Readable.from([Buffer.from(stdin)]) });

describe("readArguments", () => {
  it.each([
    ["nothing given means no arguments", undefined, undefined, "", {}],
    ["text", '{"a": 1}', undefined, "", { a: 1 }],
    ["comments and trailing commas", '{"a": [1, /* , */ 2,], // ,\n}', undefined, "", { a: [1, 2] }],
    ["a file, with comments and trailing commas", undefined, "args.json", "", { path: "a" }],
    ["standard input", undefined, "-", '{"b": [2]}', { b: [2] }],
  ])("reads %s", async (_name, text, file, stdin, expected) => {
    expect(await read(text, file, stdin)).toEqual({ arguments: expected, flaws: [] });
  });

  it.each([
    ["a number that not every reader keeps", '{"a": [9007199254740993]}', ["/a/0"]],
    ["a key that is there twice", '{"a": 1, "a": 2}', ["/a"]],
    ["a key that a program may take for something else", '{"b": {"__proto__": 1}}', ["/b/__proto__"]],
    ["half a character", '{"a": "\\ud800"}', ["/a"]],
    ["the same between comments", '{"a": 1e400, // big\n "b": -0,}', ["/a", "/b"]],
  ])("names %s, for the executor to refuse", async (_name, text, paths) => {
    expect((await read(text)).flaws.map(({ path }) => path)).toEqual(paths);
  });

  it.each([
    [
      "bad JSON with its position",
      '{"a": tru}',
      undefined,
      "--args is not JSON: line 1, column 7: strings need double quotes.",
    ],
    ["an empty text", "", undefined, "--args is not JSON: line 1, column 1: it is empty."],
    ["a comma too many", '{"a": [,]}', undefined, "--args is not JSON: line 1, column 8: expected a value."],
    [
      "a value nested too deep",
      `{"a":${"[".repeat(70)}${"]".repeat(70)}}`,
      undefined,
      "--args is nested too deep (at most 64 levels).",
    ],
    ["a list", "[1]", undefined, "--args is not a JSON object."],
    ["a text", '"a"', undefined, "--args is not a JSON object."],
    ["a missing file", undefined, "none.json", "none.json does not exist."],
    ["a folder", undefined, ".", ". is not a regular file."],
    ["two sources", "{}", "args.json", "--args and --args-file cannot be used together."],
  ])("refuses %s", async (_name, text, file, message) => {
    await expect(read(text, file)).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringContaining(message) as string,
    });
  });

  it("refuses standard input that is not UTF-8", async () => {
    const stdin = Readable.from([Buffer.from([0x7b, 0xff, 0x7d])]);
    await expect(readArguments({ text: undefined, file: "-" }, { cwd, stdin, signal })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      message: "Standard input is not valid UTF-8 text.",
    });
  });

  it("stops reading standard input on Ctrl-C", async () => {
    const stop = new AbortController();
    const stdin = new Readable({ read: () => stop.abort() });
    const work = readArguments({ text: undefined, file: "-" }, { cwd, stdin, signal: stop.signal });
    await expect(work).rejects.toMatchObject({ code: "CANCELLED" });
    expect(stdin.destroyed).toBe(true);
  });

  it("reports why standard input cannot be read", async () => {
    const stdin = createReadStream(cwd);
    await expect(readArguments({ text: undefined, file: "-" }, { cwd, stdin, signal })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      message: "Standard input could not be read (EISDIR).",
    });
  });

  it("does not quote the arguments, which may hold secrets", async () => {
    await expect(read('{"token": "s3cret"')).rejects.toMatchObject({
      message: expect.not.stringContaining("s3cret") as string,
    });
  });
});
