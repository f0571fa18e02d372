/** A file, its content, and whether the gateway starts with it. */
export interface ConfigFile {
  readonly name: string;
  readonly what: string;
  readonly bytes: () => Uint8Array;
  readonly isGood: boolean;
}

const HUNDRED_MEGABYTES = 100_000_000;

const text = (content: string) => (): Uint8Array => Buffer.from(content);
const utf16 = (content: string) => (): Uint8Array => Buffer.from(`\uFEFF${content}`, "utf16le");
const good = (what: string, content: string, name = "x.json"): ConfigFile => ({
  name,
  what,
  bytes: text(content),
  isGood: true,
});
const bad = (what: string, content: string | (() => Uint8Array), name = "x.json"): ConfigFile => ({
  name,
  what,
  bytes: typeof content === "string" ? text(content) : content,
  isGood: false,
});

const alias = (level: number): string => `  l${level}: &l${level} [${`*l${level - 1},`.repeat(9)}*l${level - 1}]`;

export const CONFIG_FILES: readonly ConfigFile[] = [
  good("an empty map", "{}"),
  good("a byte order mark", '\uFEFF{"servers": {}}'),
  good("lines that end as on Windows", '{\r\n  "servers": {}\r\n}\r\n'),
  good("lines that end as on old Macs", '{\r  "servers": {}\r}\r'),
  good("a comment to the end of the line", '{ // all of it\n "servers": {} }'),
  good("a comment over lines", '/* one\ntwo */ {"servers": {}}'),
  good("a comment in jsonc", '{ // all of it\n "servers": {} }', "x.jsonc"),
  good("a trailing comma in a map", '{"servers": {},}'),
  good("a trailing comma in a list", '{"toolRules": [{"pattern": "*", "tags": ["a",]},]}'),
  good("tabs", '{\t"servers":\t{\t}\t}'),
  good("spaces around", ' \n\t{"servers": {}}\n \t'),
  good("letters beyond ASCII", '{"servers": {}, "toolRules": [{"pattern": "größe 🦊"}]}'),
  good("escapes", '{"\\u0073ervers": {}}'),
  good("a link to its schema", '{"$schema": "./schema.json", "servers": {}}'),
  good("a list of servers", '{"servers": []}'),
  good("YAML", "servers: {}\n", "x.yaml"),
  good("YAML with comments", "# one\nservers: {} # two\n", "x.yml"),
  good("YAML with a start of the document", "---\nservers: {}\n", "x.yaml"),
  good("YAML with lines that end as on Windows", "servers: {}\r\ncache:\r\n  ttl: 60\r\n", "x.yaml"),
  good("JSON as YAML", '{"servers": {}}', "x.yaml"),
  good("a module", "export default { servers: {} };", "x.mjs"),
  good("a program in TypeScript", "const all: { servers: object } = { servers: {} };\nexport default all;", "x.ts"),
  bad("nothing", ""),
  bad("blanks", " \n\t\n"),
  bad("a comment alone", "// nothing"),
  bad("single quotes", "{'servers': {}}"),
  bad("names without quotes", "{servers: {}}"),
  bad("a NUL at the end", '{"servers": {}}\0'),
  bad("NULs alone", "\0\0\0\0"),
  bad("UTF-16", utf16('{"servers": {}}')),
  bad("UTF-16 in big-endian order", () => Buffer.from(utf16('{"servers": {}}')()).swap16()),
  bad("Latin-1", () => Buffer.from('{"servers": {"gr\xf6\xdfe": {"command": "x"}}}', "latin1")),
  bad("a program's bytes", () => Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0)),
  bad("a picture", () => Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)),
  bad("100 MB of blanks", () => Buffer.alloc(HUNDRED_MEGABYTES, " ")),
  bad("100 MB in one text", () => Buffer.concat([Buffer.from('{"a": "'), Buffer.alloc(HUNDRED_MEGABYTES, "x")])),
  bad("an open brace", "{"),
  bad("an open bracket", '{"servers": ['),
  bad("an open text", '{"servers'),
  bad("an open comment", '{"servers": {}} /* '),
  bad("two documents", '{"servers": {}} {"servers": {}}'),
  bad("an extra comma", '{"servers": {},,}'),
  bad("a missing comma", '{"servers": {} "cache": {}}'),
  bad("a missing colon", '{"servers" {}}'),
  bad("an invalid number", '{"cache": {"ttl": 0x10}}'),
  bad("NaN", '{"cache": {"ttl": NaN}}'),
  bad("an invalid escape", '{"servers": {"\\q": {"command": "x"}}}'),
  bad("a line break in a text", '{"servers": {"a\nb": {"command": "x"}}}'),
  bad("a list", "[]"),
  bad("a text", '"servers"'),
  bad("null", "null"),
  bad("a key twice", '{"servers": {}, "servers": {}}'),
  bad("an unknown key", '{"server": {}}'),
  bad("a map where a list belongs", '{"toolRules": {}}'),
  bad("100,000 brackets", "[".repeat(100_000)),
  bad("tabs that indent YAML", "servers:\n\ta: 1\n", "x.yaml"),
  bad("a YAML tag", "servers: !!js/function 'x'\n", "x.yaml"),
  bad(
    "aliases of aliases",
    ["servers:", "  l0: &l0 [x]", ...Array.from({ length: 9 }, (_, n) => alias(n + 1))].join("\n"),
    "x.yaml",
  ),
  bad("a program that throws an object", "throw { code: 1 };", "x.mjs"),
  bad("an incomplete program", "export default {", "x.ts"),
];
