import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config/load.js";
import { DiscoveryError } from "../../../src/errors.js";

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "corpus-"))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** `ok`, or the message without the folder. */
async function verdict(extension: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, `f.${extension}`);
  writeFileSync(path, content);
  try {
    await loadConfig({ cwd: folder, home: folder, anygptHome: folder, env: {}, path });
    return "ok";
  } catch (error) {
    if (!(error instanceof DiscoveryError)) throw error;
    return error.message.replaceAll(`${folder}/`, "");
  }
}

const bomb = [
  "a: &a [x, x, x, x, x, x, x, x, x]",
  ..."bcdefghi".split("").map((key, index) => {
    const previous = String.fromCharCode("a".charCodeAt(0) + index);
    return `${key}: &${key} [${Array.from({ length: 9 }, () => `*${previous}`).join(", ")}]`;
  }),
].join("\n");

describe("JSON", () => {
  it.each<[string, string | Uint8Array, string]>([
    ["an empty map", "{}", "ok"],
    ["a byte order mark", '\uFEFF{ "enabled": true }', "ok"],
    ["CRLF", '{\r\n  "enabled": true\r\n}\r\n', "ok"],
    ["tabs", '{\t"enabled":\ttrue }', "ok"],
    ["comments", '// one\n{ /* two */ "enabled": true } // three', "ok"],
    ["trailing commas", '{ "sources": [], "toolRules": [{ "pattern": ["*",], },], }', "ok"],
    ["$schema", '{ "$schema": "./schema.json" }', "ok"],
    ["letters beyond ASCII", '{ "servers": { "飞书": { "command": "x" } } }', "ok"],
    ["nothing", "", "f.json:1:1: the file is empty."],
    ["white space", " \n ", "f.json:1:1: the file is empty."],
    ["a comment only", "// nothing", "f.json:1:11: expected a value."],
    ["null", "null", "f.json:1:1: must be a map of keys, not empty."],
    ["a list", "[]", "f.json:1:1: must be a map of keys, not a list."],
    ["single quotes", "{ 'enabled': true }", "f.json:1:3: is not JSON: strings need double quotes."],
    ["keys without quotes", "{ enabled: true }", "f.json:1:3: is not JSON: strings need double quotes."],
    ["a missing comma", '{ "enabled": true\n  "sources": [] }', "f.json:2:3: expected a comma."],
    ["a missing colon", '{ "enabled" true }', "f.json:1:13: expected a colon."],
    ["a missing brace", '{ "enabled": true', "f.json:1:18: expected a closing brace."],
    ["content after the end", "{} {}", "f.json:1:4: expected the end of the file."],
    ["an open string", '{ "enabled: true }', "f.json:1:3: the string is not closed by a double quote."],
    ["an open comment", "{} /* ", "f.json:1:4: the comment is not closed."],
    ["a bad escape", '{ "$schema": "C:\\dir" }', "f.json:1:14: is not a valid escape; write a backslash as \\\\."],
    ["NaN", '{ "cache": { "ttl": NaN } }', "f.json:1:21: is not JSON: strings need double quotes."],
    ["NUL characters", '{ "enabled": true }\0', "f.json: contains NUL characters; save it as UTF-8 text."],
    ["UTF-16", Buffer.from("\uFEFF{}", "utf16le"), "f.json: is UTF-16 text; save it as UTF-8."],
    ["UTF-16 in big-endian order", Buffer.from("\uFEFF{}", "utf16le").swap16(), "f.json: is UTF-16 text; save it as UTF-8."],
    ["UTF-16 without a mark", Buffer.from("{}", "utf16le"), "f.json: contains NUL characters; save it as UTF-8 text."],
    ["Latin-1", Buffer.from('{ "$schema": "schön" }', "latin1"), "f.json: is not valid UTF-8 text."],
    ["more than 4 MiB", `{ "$schema": "${"x".repeat(4 * 1024 * 1024)}" }`, "f.json: is larger than 4 MiB."],
    ["100,000 brackets", "[".repeat(100_000), "f.json:1:65: is nested more than 64 levels deep."],
    ["a key twice", '{ "enabled": true,\n  "enabled": false }', "f.json:2:3: enabled: is written twice."],
    ["a server twice", '{ "servers": { "a": { "command": "x" }, "a": { "command": "y" } } }', "f.json:1:41: servers.a: is written twice."],
    ["__proto__", '{ "__proto__": { "enabled": false } }', "f.json:1:3: __proto__: is not allowed as a key."],
    ["__proto__, escaped", '{ "__pr\\u006fto__": {} }', "f.json:1:3: __proto__: is not allowed as a key."],
    ["constructor inside", '{ "cache": { "constructor": 1 } }', "f.json:1:14: cache.constructor: is not allowed as a key."],
    ["prototype deep inside", '{ "servers": [{ "name": "a", "command": "x", "env": { "prototype": "" } }] }', "f.json:1:55: servers[0].env.prototype: is not allowed as a key."],
    ["a misspelt key", '{\n  "serverz": [] }', 'f.json:2:3: serverz: is not a known key; did you mean "servers"?'],
    ["a misspelt key inside", '{ "cache": { "tll": 1 } }', 'f.json:1:14: cache.tll: is not a known key; did you mean "ttl"?'],
    ["a key in another case", '{ "toolrules": [] }', 'f.json:1:3: toolrules: is not a known key; did you mean "toolRules"?'],
    ["text for a boolean", '{ "enabled": "true" }', "f.json:1:3: enabled: must be true or false, not text."],
    ["text for a number", '{ "cache": { "ttl": "3600" } }', "f.json:1:14: cache.ttl: must be a number, not text."],
    ["a fraction", '{ "cache": { "ttl": 1.5 } }', "f.json:1:14: cache.ttl: must be a whole number, not a fraction."],
    ["a negative number", '{ "cache": { "ttl": -1 } }', "f.json:1:14: cache.ttl: must be at least 0."],
    ["null for a section", '{ "cache": null }', "ok"],
    ["a number too large", '{ "cache": { "ttl": 1e400 } }', "f.json:1:14: cache.ttl: must be a number, not an infinite number."],
  ])("with %s", async (_, content, expected) => {
    expect(await verdict("json", content)).toBe(expected);
  });
});

describe("YAML", () => {
  it.each<[string, string | Uint8Array, string]>([
    ["a map", "enabled: true\n", "ok"],
    ["a byte order mark", "\uFEFFenabled: true\n", "ok"],
    ["CRLF", "cache:\r\n  ttl: 5\r\n", "ok"],
    ["comments", "# one\nenabled: true # two\n", "ok"],
    ["a start and an end mark", "---\nenabled: true\n...\n", "ok"],
    ["JSON inside", '{ "enabled": true }', "ok"],
    ["an alias", "servers:\n  a: &a {command: x}\n  b: *a\n", "ok"],
    ["a core tag", "servers: {a: {command: x, args: [!!str 1]}}\n", "ok"],
    ["words of YAML 1.1", "servers: {no: {command: x, args: [no, off, 1_000, 12:30, 2020-01-01]}}\n", "ok"],
    ["a number for a key", "servers: {404: {command: x}}\n", "ok"],
    ["nothing", "", "f.yaml:1:1: the file is empty."],
    ["a comment only", "# nothing\n", "f.yaml:1:1: the file is empty."],
    ["text only", "hello\n", "f.yaml:1:1: must be a map of keys, not text."],
    ["no for a boolean", "enabled: no\n", "f.yaml:1:1: enabled: must be true or false, not text."],
    ["an octal number for text", "servers: {a: {command: 0o17}}\n", "f.yaml:1:15: servers.a.command: must be text, not a number; put it in quotes."],
    ["a boolean for text", "servers: {a: {command: x, args: [true]}}\n", "f.yaml:1:34: servers.a.args[0]: must be text, not true; put it in quotes."],
    ["tabs as indentation", "cache:\n\tttl: 5\n", "f.yaml:2:1: tabs are not allowed as indentation."],
    ["an open quote", "enabled: 'x\n", "f.yaml:2:1: a closing quote, bracket, colon or comma is missing."],
    ["a map on the line of its key", "a: b: c\n", "f.yaml:1:4: a map cannot start on the same line; put the text in quotes, or the key on its own line."],
    ["bad indentation", "cache:\n    ttl: 5\n  enabled: true\n", "f.yaml:3:1: has the wrong indentation."],
    ["a key twice", "enabled: true\nenabled: false\n", "f.yaml:2:1: enabled: is written twice."],
    ["__proto__", "cache:\n  __proto__: {ttl: 5}\n", "f.yaml:2:3: cache.__proto__: is not allowed as a key."],
    ["a merge key", "servers:\n  a: &a {command: x}\n  b:\n    <<: *a\n", 'f.yaml:4:5: servers.b["<<"]: merge keys are not supported; write the keys explicitly.'],
    ["a foreign tag", "enabled: !!js/function 'x'\n", "f.yaml:1:10: tags are not supported."],
    ["a binary tag", "$schema: !!binary aGk=\n", "f.yaml:1:10: tags are not supported."],
    ["a custom tag", "enabled: !mine true\n", "f.yaml:1:10: tags are not supported."],
    ["two documents", "enabled: true\n---\nenabled: false\n", "f.yaml:2:1: only one document is allowed in a file."],
    ["YAML 1.1 by directive", "%YAML 1.1\n---\nenabled: true\n", "f.yaml:1:1: only YAML 1.2 is supported."],
    ["an alias to nothing", "servers: *a\n", "f.yaml:1:10: servers: the alias has no anchor before it."],
    ["an alias to itself", "servers: &a [*a]\n", "f.yaml:1:13: servers[0][0]: is nested more than 64 levels deep."],
    ["an alias bomb", bomb, "f.yaml:6:12: has more than 100000 values."],
    ["a map for a key", "? {a: b}\n: c\n", 'f.yaml:1:3: ["?"]: a key must be plain text.'],
    ["100,000 brackets", "[".repeat(100_000), "f.yaml:1:65: is nested more than 64 levels deep."],
    ["20,000 braces", "{a: ".repeat(20_000), "f.yaml:1:254: is nested more than 64 levels deep."],
    ["50,000 dashes", `${"- ".repeat(50_000)}x`, "f.yaml:1:128: is nested more than 64 levels deep."],
    ["a million lines", "-\n".repeat(1_000_000), "f.yaml:1:1: has more than 100000 lines."],
    ["UTF-16", Buffer.from("\uFEFFa: 1", "utf16le"), "f.yaml: is UTF-16 text; save it as UTF-8."],
    ["a misspelt key", "enabled: true\ntool_rules: []\n", 'f.yaml:2:1: tool_rules: is not a known key; did you mean "toolRules"?'],
    ["an empty value for a list", "sources:\n", "ok"],
  ])("with %s", async (_, content, expected) => {
    expect(await verdict("yaml", content)).toBe(expected);
  });
});

it("does not let any file of the corpus pollute the object prototype", () => {
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(({} as Record<string, unknown>)["enabled"]).toBeUndefined();
});

it("never repeats the text next to an error in the message", async () => {
  for (const [extension, content] of [
    ["json", '{ "servers": { "a": { "headers": "s3cret" } }'],
    ["json", '{ "servers": { "a": { "url": s3cret } } }'],
    ["yaml", "servers: {a: {url: 's3cret}}"],
    ["yaml", "servers:\n  a: *s3cret\n"],
    ["yaml", "servers: [s3cret] s3cret"],
    ["yaml", "servers: s3cret"],
  ] as const) {
    expect(await verdict(extension, content)).not.toContain("s3cret");
  }
});
