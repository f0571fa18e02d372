import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { expectCpuTime } from "../../test/support/cost.js";
import { failure } from "../../test/support/failure.js";
import { ERRORS } from "../errors.js";
import { loadConfig } from "./load.js";

let root: string;
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "malformed-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const load = (path: string) =>
  loadConfig({
    cwd: root,
    home: join(root, "home"),
    anygptHome: join(root, "home/.anygpt"),
    env: {},
    path,
    programTimeoutMs: 200,
  });

/** The file name, its content, and the message after the file's path; `L:C` is any line and column. */
type Row = readonly [file: string, content: string | Uint8Array, ending: string];

const deep = (open: string, close: string) => open.repeat(100) + close.repeat(100);
/** Each level refers nine times to the level before. */
const bombOf = (levels: number): string =>
  [
    "l0: &l0 [x, x, x, x, x, x, x, x, x]",
    ...Array.from({ length: levels }, (_, n) => `l${n + 1}: &l${n + 1} [${Array(9).fill(`*l${n}`).join(", ")}]`),
    `servers: *l${levels}`,
  ].join("\n");
const bomb = bombOf(7);

const SYNTAX: readonly Row[] = [
  ["x.json", "", ":1:1: the file is empty."],
  ["x.json", " \n\t\n", ":1:1: the file is empty."],
  ["x.json", "// nothing but a comment", ":L:C: *"],
  ["x.json", "{", ":1:2: expected a closing brace."],
  ["x.json", "}", ":1:1: *"],
  ["x.json", "[", ":1:2: expected a closing bracket."],
  ["x.json", "{]", ":1:2: *"],
  ["x.json", '{"a"}', ":1:5: expected a colon."],
  ["x.json", '{"a":}', ":1:6: expected a value."],
  ["x.json", '{"a" "b"}', ":1:6: expected a colon."],
  ["x.json", '{"cache":{"ttl":1} "search":{}}', ":1:20: expected a comma."],
  ["x.json", '{\n  "cache": {,}\n}', ":2:13: *"],
  ["x.json", "{'cache': {}}", ":1:2: *"],
  ["x.json", "{cache: {}}", ":1:2: *"],
  ["x.json", '{"cache": {"ttl": 01}}', ":1:20: *"],
  ["x.json", '{"cache": {"ttl": 1.}}', ":1:19: *"],
  ["x.json", '{"cache": {"ttl": 0x10}}', ":1:20: *"],
  ["x.json", '{"cache": {"ttl": NaN}}', ":1:19: is not JSON: strings need double quotes."],
  ["x.json", '{"cache": {"ttl": Infinity}}', ":1:19: is not JSON: strings need double quotes."],
  ["x.json", '{"a": "b', ":1:7: the string is not closed by a double quote."],
  ["x.json", '{"a": "b\nc"}', " has 2 problems: 1:7: the string is not closed by a double quote; *"],
  ["x.json", '{"a": "\\q"}', ":1:7: is not a valid escape; write a backslash as \\\\."],
  ["x.json", '{"a": "\\u12"}', ":1:7: is not a valid \\u escape."],
  ["x.json", '{"a": "\u0001"}', ":1:7: is a control character, which must be escaped."],
  ["x.json", "{} {}", ":1:4: expected the end of the file."],
  ["x.json", "{} /* open", ":1:4: the comment is not closed."],
  ["x.json", '{"cache": {}, "cache": {}}', ":1:15: cache: is written twice."],
  ["x.json", '{"cache": {"ttl": 1, "ttl": 2}}', ":1:22: cache.ttl: is written twice."],
  ["x.json", '{"__proto__": {"enabled": false}}', ":1:2: __proto__: is not allowed as a key."],
  ["x.json", '{"servers": {"a": {"constructor": 1}}}', ":1:20: servers.a.constructor: is not allowed as a key."],
  [
    "x.json",
    '{"servers": {"a": {"env": {"prototype": "x"}}}}',
    ":1:28: servers.a.env.prototype: is not allowed as a key.",
  ],
  ["x.json", deep("[", "]"), ":1:65: is nested more than 64 levels deep."],
  ["x.json", `{"servers": ${deep('{"a":', "}")}`, ":L:C: is nested more than 64 levels deep."],
  ["x.json", `[${"1,".repeat(100_001)}1]`, ":L:C: has more than 100000 values."],
  ["x.jsonc", "{ // open\n", ":L:C: expected a closing brace."],
  ["x.yaml", "", ":1:1: the file is empty."],
  ["x.yaml", "# only a comment\n", ":1:1: the file is empty."],
  ["x.yaml", "~", ":1:1: the file is empty."],
  ["x.yaml", "servers: [a, b", ":1:15: *"],
  ["x.yaml", "servers: {a: 1", ":L:C: *"],
  ["x.yaml", 'a: "b', ":L:C: a closing quote, bracket, colon or comma is missing."],
  ["x.yaml", 'a: "\\q"', ":L:C: is not a valid escape in double quotes."],
  ["x.yaml", "cache:\n\tttl: 1\n", ":2:1: tabs are not allowed as indentation."],
  ["x.yaml", "cache:\n  ttl: 1\n enabled: true\n", ":3:1: *"],
  ["x.yaml", "a: b: c\n", ":1:4: *"],
  ["x.yaml", "a: @b\n", ":1:4: this character must be put in quotes."],
  ["x.yaml", "a: `b`\n", ":1:4: this character must be put in quotes."],
  ["x.yaml", "a: *nothing\n", ":L:C: *"],
  ["x.yaml", "a: !!js/function 'x'\n", ":L:C: tags are not supported."],
  ["x.yaml", "a: !mine x\n", ":L:C: tags are not supported."],
  [
    "x.yaml",
    "base: &b {ttl: 1}\ncache:\n  <<: *b\n",
    ":3:3: *merge keys are not supported; write the keys explicitly.",
  ],
  ["x.yaml", "a: 1\n---\nb: 2\n", ":L:C: only one document is allowed in a file."],
  ["x.yaml", "%YAML 1.1\n---\na: 1\n", ":L:C: only YAML 1.2 is supported."],
  ["x.yaml", "cache: {}\ncache: {}\n", ":2:1: cache: is written twice."],
  ["x.yaml", "__proto__: {}\n", ":1:1: __proto__: is not allowed as a key."],
  ["x.yaml", "? [a, b]\n: c\n", ":L:C: *a key must be plain text."],
  ["x.yaml", bomb, ":L:C: *has more than 100000 values."],
  ["x.yaml", "a: &a\n  b: *a\n", ":L:C: *"],
  ["x.yaml", deep("[", "]"), ":L:C: is nested more than 64 levels deep."],
  ["x.yml", "a\n".repeat(100_002), ":1:1: has more than 100000 lines."],
];

const ENCODINGS: readonly Row[] = [
  ["x.json", Buffer.from('\uFEFF{"cache": {}}', "utf16le"), ": is UTF-16 text; save it as UTF-8."],
  ["x.yaml", Buffer.from([0xfe, 0xff, 0, 0x61]), ": is UTF-16 text; save it as UTF-8."],
  ["x.json", Buffer.from('{"a": "\xe4"}', "latin1"), ": is not valid UTF-8 text."],
  ["x.yaml", Uint8Array.of(0x61, 0x3a, 0x20, 0xc3, 0x28), ": is not valid UTF-8 text."],
  ["x.json", "{}\0", ": contains NUL characters; save it as UTF-8 text."],
  ["x.json", Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0), ": contains NUL characters; save it as UTF-8 text."],
  ["x.ts", Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a), ": is not valid UTF-8 text."],
  ["x.json", `{"a": "${"x".repeat(4 * 1024 * 1024)}"}`, ": is larger than 4 MiB."],
  ["x.toml", "a = 1", ": has an extension other than ts, mts, js, mjs, json, jsonc, yaml or yml."],
  ["config", "{}", ": has an extension other than ts, mts, js, mjs, json, jsonc, yaml or yml."],
];

const VALUES: readonly Row[] = [
  ["x.json", "[]", ":1:1: *"],
  ["x.json", "3", ":1:1: *"],
  ["x.json", '"text"', ":1:1: *"],
  ["x.json", "null", ":1:1: *"],
  ["x.yaml", "just text", ":1:1: *"],
  ["x.json", '{"enabled": "yes"}', ":1:2: enabled: must be true or false, not text."],
  ["x.yaml", "enabled: no\n", ":1:1: enabled: must be true or false, not text."],
  ["x.json", '{"cache": {"ttl": "1h"}}', ":1:12: cache.ttl: must be a number, not text."],
  ["x.json", '{"cache": {"ttl": -1}}', ":1:12: cache.ttl: *"],
  ["x.json", '{"cache": {"ttl": 1e999}}', ":1:12: cache.ttl: *"],
  ["x.yaml", "cache: {ttl: .inf}\n", ":1:9: cache.ttl: *"],
  ["x.json", '{"cache": []}', ":1:2: cache: *"],
  ["x.json", '{"cach": {}}', ':1:2: cach: is not a known key; did you mean "cache"?'],
  ["x.json", '{\n  "cache": {\n    "tll": 5\n  }\n}', ':3:5: cache.tll: is not a known key; did you mean "ttl"?'],
  ["x.json", '{"servers": 5}', ":1:2: servers: must be a list of servers, or a map of them by name."],
  ["x.json", '{"servers": [{"command": "x"}]}', ":1:14: servers[0].name: *"],
  ["x.json", '{"servers": {"a": {}}}', ":1:14: servers.a: needs a `command` or a `url`."],
  [
    "x.json",
    '{"servers": {"a": {"command": "x", "url": "http://y"}}}',
    ":1:14: servers.a: has both `command` and `url`; keep one.",
  ],
  ["x.json", '{"servers": {"a": {"command": ["x"]}}}', ":1:20: servers.a.command: must be text, not a list."],
  ["x.json", '{"servers": {"a": {"command": "x", "args": "y"}}}', ":1:36: servers.a.args: must be a list, not text."],
  [
    "x.json",
    '{"servers": {"a": {"command": "x", "args": [1]}}}',
    ":1:45: servers.a.args[0]: must be text, not a number; put it in quotes.",
  ],
  [
    "x.json",
    '{"servers": {"a": {"command": "x", "env": {"A": 1}}}}',
    ":1:44: servers.a.env.A: must be text, not a number; put it in quotes.",
  ],
  ["x.json", '{"servers": {"a": {"command": "x", "env": {"A B": "1"}}}}', ":1:44: servers.a.env[*"],
  ["x.json", '{"servers": {"a": {"url": "ftp://x"}}}', ":1:20: servers.a.url: *"],
  ["x.json", '{"servers": {"a": {"url": "http://x", "headers": {"a b": "c"}}}}', ":1:51: servers.a.headers*"],
  ["x.json", '{"servers": {"a:b": {"command": "x"}}}', ":L:C: servers*must have 1 to 64 letters*"],
  ["x.json", '{"servers": {"": {"command": "x"}}}', ":L:C: servers*"],
  [
    "x.json",
    '{"servers": {"a": {"command": "x\\u0000"}}}',
    ":1:20: servers.a.command: must not contain a NUL character.",
  ],
  ["x.json", '{"sources": [{"type": "clod-desktop", "path": "x"}]}', ":1:15: sources[0].type: *"],
  ["x.json", '{"sources": {"type": "custom"}}', ":1:2: sources: must be a list of sources, or the word all."],
  ["x.json", '{"toolRules": [{"pattern": "/(/", "enabled": true}]}', ":1:17: toolRules[0].pattern: *"],
  [
    "x.json",
    '{"toolRules": [{"patern": "*"}]}',
    ' has 2 problems: *1:17: toolRules[0].patern: is not a known key; did you mean "pattern"*',
  ],
  [
    "x.json",
    '{"toolRules": [{"pattern": "*", "enabled": 1}]}',
    ":1:33: toolRules[0].enabled: must be true or false, not a number.",
  ],
  ["x.json", '{"store": "${HOME}/a"}', ":1:2: store: variables are not expanded in this option; write the full path."],
  [
    "mcp-discovery.config.json",
    '{"discovery": {}, "cache": {}}',
    ":1:19: cache: must be inside `discovery`, because the file has that section.",
  ],
  ["anygpt.config.json", "{}", ":1:1: discovery: is missing."],
  ["anygpt.config.json", '{"discovery": 5}', ":1:2: discovery: *"],
];

const PROGRAMS: readonly Row[] = [
  ["x.ts", "", ": exports no configuration; write `export default { … }`."],
  ["x.ts", "export default {", ":1:17: could not be run: ParseError: *"],
  ["x.ts", "const a: = 1;", ":1:10: could not be run: ParseError: *"],
  ["x.mjs", "}}", ":1:1: could not be run: ParseError: *"],
  ["x.ts", "export const other = 1;", ": exports no configuration; write `export default { … }`."],
  ["x.js", "1 + 1;", ": exports no configuration; write `export default { … }`."],
  ["x.ts", "export default undefined;", ": exports no configuration; write `export default { … }`."],
  ["x.ts", "export default null;", ": *"],
  ["x.ts", "export default 5;", ": *"],
  ["x.ts", "export default function () { return {}; }", ": must be plain data, not a function."],
  ["x.ts", "export default class {}", ": must be plain data, not a function."],
  ["x.ts", "export default new (class A {})();", ": must be plain data, not an instance of a class."],
  ["x.ts", "export default new Map();", ": must be plain data, not an instance of a class."],
  ["x.ts", "export default { cache: { ttl: 5n } };", ": cache.ttl: must be plain data, not a bigint."],
  ["x.ts", "export default { enabled: Symbol('x') };", ": enabled: must be plain data, not a symbol."],
  ["x.ts", "export default { enabled: () => true };", ": enabled: must be plain data, not a function."],
  ["x.ts", "const a = {}; a.a = a; export default a;", ": a.a.a: is nested more than 64 levels deep."],
  [
    "x.ts",
    "const a = []; a.push(a); export default { servers: a };",
    ": servers[0][0]: is nested more than 64 levels deep.",
  ],
  ["x.ts", "export default { get cache() { throw new Error('boom'); } };", ":1:1: could not be run: boom."],
  ["x.ts", "\n\nthrow new Error('boom\\nsecond line');", ":3:1: could not be run: boom."],
  ["x.ts", "throw 'text';", ": could not be run: text."],
  ["x.ts", "throw null;", ": could not be run: null."],
  ["x.ts", "throw { code: 1 };", ": could not be run: it threw a value without a message."],
  ["x.mjs", "throw Object.create(null);", ": could not be run: it threw a value without a message."],
  ["x.ts", "throw new Error();", ":1:1: could not be run: it threw a value without a message."],
  ["x.ts", "const x: string = 'a';\nx.foo.bar();\nexport default {};", ":2:1: could not be run: *"],
  [
    "x.ts",
    "import x from './not-there';\nexport default x;",
    ":1:1: could not be run: Cannot find module './not-there'*",
  ],
  [
    "x.ts",
    "import x from 'no-such-package-anywhere';\nexport default x;",
    ":1:1: could not be run: Cannot find module 'no-such-package-anywhere'*",
  ],
  ["x.ts", "export default Promise.reject(new Error('later'));", ":1:1: could not be run: later."],
  ["x.ts", "export default new Promise(() => {});", ": did not finish within 0.2 s."],
  ["x.mjs", "await new Promise(() => {});\nexport default {};", ": did not finish within 0.2 s."],
  ["x.js", "module.exports = () => ({});", ": must be plain data, not a function."],
  ["x.ts", "export default { 'cach': {} };", ': cach: is not a known key; did you mean "cache"?'],
  [
    "x.ts",
    'export default JSON.parse(\'{"__proto__": {"enabled": false}}\');',
    ": __proto__: is not allowed as a key.",
  ],
  [
    "x.ts",
    "export default new Proxy({}, { ownKeys() { throw new Error('no keys'); } });",
    ":1:1: could not be run: no keys.",
  ],
];

const ALL: readonly Row[] = [...SYNTAX, ...ENCODINGS, ...VALUES, ...PROGRAMS];

describe("an invalid configuration", () => {
  it("is tested in more than a hundred variants", () => {
    expect(ALL.length).toBeGreaterThanOrEqual(100);
  });

  it.each(ALL.map((row, index) => [row[0], String(row[1]).slice(0, 60), index] as const))(
    "%s with %j is reported in one line with its position",
    async (name, _, index) => {
      const [, content, ending] = ALL[index] ?? ["", "", ""];
      const file = join(root, name);
      writeFileSync(file, content);
      expect(reported(await failure(load(file)), file)).toMatch(like(ending));
      expect(({} as Record<string, unknown>)["enabled"]).toBeUndefined();
    },
  );

  it.each<[string, (file: string) => void, string]>([
    ["a folder", (file) => mkdirSync(file), ": is not a regular file."],
    ["a link to itself", (file) => symlinkSync(file, file), ": could not be read (ELOOP)."],
    ["a broken link", (file) => symlinkSync("nowhere.json", file), " does not exist."],
    ["nothing", () => undefined, " does not exist."],
  ])("%s in place of the file is reported in one line", async (_, make, ending) => {
    const file = join(root, "x.json");
    make(file);
    expect(reported(await failure(load(file)), file)).toMatch(like(ending));
  });

  it("reports a file without read permission in one line, unless the test runs as root", async () => {
    const file = join(root, "x.json");
    writeFileSync(file, "{}");
    chmodSync(file, 0);
    const isRoot = process.getuid?.() === 0;
    const outcome = isRoot
      ? `2: could not be read (EACCES).${(await load(file)).notices.join()}`
      : reported(await failure(load(file)), file);
    expect(outcome).toBe("2: could not be read (EACCES).");
  });

  it("with YAML aliases that expand to 81 times as many values takes about the same time", async () => {
    const loadBomb = (levels: number) => {
      const file = join(root, `bomb-${levels}.yaml`);
      writeFileSync(file, bombOf(levels));
      return () => failure(load(file));
    };
    await expectCpuTime(loadBomb(6), { maxRatio: 10, control: loadBomb(4) });
  });
});

/** The exit code and what follows the file's path, if it is one line without a stack and `[object Object]`. */
function reported(error: { message: string; code: keyof typeof ERRORS }, file: string): string {
  const { message } = error;
  const isFit = message.startsWith(file) && !/\n|\[object|\bat .*:\d+:\d+\)/.test(message);
  return isFit ? `${ERRORS[error.code].exit}${message.slice(file.length)}` : `unfit: ${message}`;
}

/** The whole text, with `*` for anything and `L:C` for any line and column. */
function like(ending: string): RegExp {
  const parts = ending
    .split("*")
    .map((part) => part.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&").replace("L:C", "\\d+:\\d+"));
  return new RegExp(`^2${parts.join(".*")}$`, "u");
}
