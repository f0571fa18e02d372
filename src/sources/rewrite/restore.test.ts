import { expect, it } from "vitest";
import { changedPaths } from "./changed-paths.js";
import { restoreSections } from "./restore.js";

const BEFORE = '{\n  "n": 1,\n  "mcpServers": { "a": 1 } // x\n}';
const AFTER = '{\n  "n": 1,\n  "mcpServers": { "anygpt": 2 } // x\n}';

const restore = (now: string, before = BEFORE): string | undefined => {
  const bytes = [before, AFTER, now].map((text) => Buffer.from(text));
  const restored = restoreSections({ before: bytes[0]!, after: bytes[1]!, now: bytes[2]!, sections: [["mcpServers"]] });
  return restored === undefined ? undefined : Buffer.from(restored).toString("utf8");
};

it.each([
  [
    "keeps later changes in other sections",
    '\ufeff{"mcpServers":{"anygpt":2},"n":9}',
    '\ufeff{"mcpServers":{ "a": 1 },"n":9}',
  ],
  ["returns undefined if the servers changed too", '{"mcpServers":{"anygpt":2,"b":3}}', undefined],
  ["returns undefined if the servers were removed", '{"n":1}', undefined],
  ["returns undefined for an invalid file", "{", undefined],
])("%s", (_name, now, expected) => {
  expect(restore(now)).toBe(expected);
});

it("returns undefined if there were no servers before", () => {
  expect(restore('{"mcpServers":{"anygpt":2},"n":9}', '{"n":1}')).toBeUndefined();
});

it.each([
  ['{"a":{"b":{"c":{"d":"s3cret"}}},"x":1}', '{"a":{"b":{"c":{"d":"other"}}},"y":1}', ["a.b.c", "x", "y"]],
  ['{"a":1}', '{ "a": 1 }', ["comments or white space"]],
  ['{"a":1}', "{", ["the whole file"]],
  ["[]", "[1]", ["the whole file"]],
  [
    "{}",
    JSON.stringify(Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`k${index}`, 1]))),
    [...Array.from({ length: 10 }, (_, index) => `k${index}`), "2 more"],
  ],
])("returns the paths at which %s and %s differ, without the values", async (before, after, expected) => {
  expect(await changedPaths(Buffer.from(before), Buffer.from(after), "json")).toEqual(expected);
});
