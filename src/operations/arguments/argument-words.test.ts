import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { JsonObject } from "../../model/json.js";
import { toArgumentText } from "./argument-text.js";
import { isArgumentWord, readArgumentWords, toGivenArguments } from "./argument-words.js";

const SCHEMA = {
  type: "object",
  properties: {
    text: { type: "string" },
    count: { type: "integer" },
    ratio: { type: "number" },
    on: { type: "boolean" },
    list: { type: "array" },
    map: { type: "object" },
    mixed: { type: ["integer", "string"] },
    maybe: { anyOf: [{ type: "integer" }, { type: "null" }] },
    named: { $ref: "#/$defs/amount" },
    level: { enum: [1, 2] },
    colour: { enum: ["red"] },
    free: {},
    numbers: { type: "array", items: { type: "integer" } },
    names: { type: "array", items: { type: "string" } },
    either: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
    nested: { type: "object", properties: { width: { type: "integer" }, unit: { type: "string" } } },
    "dotted.name": { type: "integer" },
  },
  allOf: [{ properties: { inherited: { type: "integer" } } }],
  $defs: { amount: { type: "number" } },
};

const { signal } = new AbortController();
let cwd: string;

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "anygpt-words-"));
  writeFileSync(join(cwd, "note.md"), "# Title\n");
  writeFileSync(join(cwd, "all.json"), '{"text": "from the file", "count": 1, // a comment\n}');
  writeFileSync(join(cwd, "list.json"), "[1, 2]");
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

async function readFor(schema: JsonObject, words: readonly string[], stdin = ""): Promise<unknown> {
  const read = await readArgumentWords(words, { cwd, signal, stdin: Readable.from([Buffer.from(stdin)]) });
  return toGivenArguments(read, { inputSchema: schema, signature: "demo(text: string)" }).arguments;
}

const read = async (...words: string[]): Promise<unknown> => await readFor(SCHEMA, words);

describe("argument words", () => {
  it.each([
    ["text=12", { text: "12" }],
    ["text=", { text: "" }],
    ["text=a=b", { text: "a=b" }],
    ["text={}", { text: "{}" }],
    ["count=12", { count: 12 }],
    ["count=-1", { count: -1 }],
    ["ratio=1.5e3", { ratio: 1500 }],
    ["on=true", { on: true }],
    ["list=[1, 2]", { list: [1, 2] }],
    ['map={"a": null}', { map: { a: null } }],
    ["mixed=12", { mixed: "12" }],
    ["mixed:=12", { mixed: 12 }],
    ["maybe=null", { maybe: null }],
    ["maybe=3", { maybe: 3 }],
    ["named=2.5", { named: 2.5 }],
    ["level=2", { level: 2 }],
    ["colour=red", { colour: "red" }],
    ["free=7", { free: "7" }],
    ['text:="a"', { text: "a" }],
    ["inherited=4", { inherited: 4 }],
  ])("reads %s by the type in the schema", async (pair, expected) => {
    expect(await read(pair)).toEqual(expected);
  });

  it("accepts several options in any order", async () => {
    expect(await read("count=1", "text=x")).toEqual({ count: 1, text: "x" });
  });

  it.each([
    ["cuont=1", 'The tool has no argument "cuont".', "Did you mean count?"],
    ["zzz=1", 'The tool has no argument "zzz".', "Its arguments are: text, count,"],
    ["count=many", 'The argument "count" must be a number.', "count:=JSON"],
    ["count=1x", 'The argument "count" must be a number.', ""],
    ["on=yes", 'The argument "on" must be true or false.', ""],
    ["numbers=1,2", 'The argument "numbers" must be a number.', ""],
    ["text:=a", 'The argument "text" must be JSON.', "single quotes"],
    ["text", '"text" is not an argument.', "NAME=VALUE"],
    ["=x", '"=x" is not an argument.', ""],
    [":=x", '":=x" is not an argument.', ""],
    ["text=@none.md", "none.md does not exist.", "text=@@TEXT"],
    ["@none.json", "none.json does not exist.", "JSON object"],
    ["nested.wdith=1", 'The tool has no argument "wdith" (in nested.wdith=…).', "Did you mean width?"],
  ])("refuses %s, and does not repeat its value", async (word, message, hint) => {
    await expect(read(word)).rejects.toThrow(
      expect.objectContaining({ message, hint: expect.stringContaining(hint) as string }) as Error,
    );
  });

  it("shows the signature of the tool with the error", async () => {
    await expect(read("cuont=1")).rejects.toThrow(
      expect.objectContaining({
        hint: "Did you mean count? The signature of the tool is demo(text: string).",
      }) as Error,
    );
  });

  it.each([
    ["repeats of an array, by the type of its items", ["numbers=1", "numbers=2"], { numbers: [1, 2] }],
    ["one item of an array", ["names=a,b"], { names: ["a,b"] }],
    ["a list or a text as what it can be", ["either=a", "either=b"], { either: ["a", "b"] }],
    ["members of an object", ["nested.width=3", "nested.unit=px"], { nested: { width: 3, unit: "px" } }],
    ["a name that has a dot in the schema", ["dotted.name=1"], { "dotted.name": 1 }],
    ["the text of a file, exactly", ["text=@note.md"], { text: "# Title\n" }],
    ["the JSON of a file", ["list:=@list.json"], { list: [1, 2] }],
    ["a text that begins with @", ["text=@@handle"], { text: "@handle" }],
    ["all arguments of a file", ["@all.json"], { text: "from the file", count: 1 }],
    ["words in place of members of the file", ["@all.json", "count=2"], { text: "from the file", count: 2 }],
  ])("reads %s", async (_name, words, expected) => {
    expect(await read(...words)).toEqual(expected);
  });

  it.each([
    ["all arguments", ["@-"], '{"count": 4}', { count: 4 }],
    ["one of them", ["text=@-"], "typed", { text: "typed" }],
  ])("reads %s from standard input", async (_name, words, stdin, expected) => {
    expect(await readFor(SCHEMA, words, stdin)).toEqual(expected);
  });

  it.each([
    [
      "a value twice that is no array",
      ["text=a", "text=b"],
      'The argument "text" occurs 2 times, but it is not an array.',
    ],
    ["a value and a part of it", ["nested:={}", "nested.width=1"], "which another argument sets as a whole."],
    ["two files of all arguments", ["@all.json", "@list.json"], "@all.json and @list.json cannot be used together."],
    ["standard input twice", ["@-", "text=@-"], "@- and text=@- both read standard input."],
  ])("refuses %s", async (_name, words, message) => {
    await expect(read(...words)).rejects.toThrow(message);
  });

  it.each([
    [{ type: "object", additionalProperties: { type: "integer" } }, { any: 1 }] as const,
    [{}, { any: "1" }] as const,
  ])("accepts any name if the schema %j does", async (schema, expected) => {
    expect(await readFor(schema, ["any=1"])).toEqual(expected);
  });

  it("ends with a schema that refers to itself many times over", async () => {
    const twice = [{ $ref: "#" }, { $ref: "#" }, { $ref: "#/properties/a" }];
    const schema = { allOf: twice, anyOf: twice, properties: { a: { $ref: "#/properties/a", oneOf: twice } } };
    expect(await readFor(schema, ["a=1"])).toEqual({ a: "1" });
  });

  it("passes a number that JavaScript would round to the executor unchanged", async () => {
    const named = [{ name: "count", value: "9007199254740993", isJson: false }];
    expect(toArgumentText(named, SCHEMA)).toBe('{"count":9007199254740993}');
    const words = await readArgumentWords(["count=9007199254740993"], { cwd, signal, stdin: Readable.from([]) });
    expect(toGivenArguments(words, { inputSchema: SCHEMA }).flaws).toHaveLength(1);
  });

  it.each([
    ["path=x", true],
    ["@file", true],
    ["read_file", false],
    ["github:read_file", false],
  ])("%s as an argument: %s", (word, expected) => {
    expect(isArgumentWord(word)).toBe(expected);
  });
});
