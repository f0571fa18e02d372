import { describe, expect, it } from "vitest";
import { expectLinear, flat } from "../../../test/support/cost.js";
import { keepJsonSections } from "./json-section.js";
import { parseSection, type Section } from "./parse.js";
import { keepYamlSections } from "./yaml-section.js";

describe("keepJsonSections", () => {
  const only =
    (...keys: string[]) =>
    ([key]: readonly string[]) =>
      keys.includes(key ?? "");

  it.each<[string, string, string]>([
    ["a value before", '{"a": [1, {"b": 2}], "mcp": {"x": 1}}', '{"a": 0/*        */, "mcp": {"x": 1}}'],
    ["a value after", '{"mcp": {}, "b": "long, text}"}', '{"mcp": {}, "b": 0/*        */}'],
    ["line breaks", '{"a": {\n\n"b": 1},\n"mcp": 1}', '{"a": 0\n\n       ,\n"mcp": 1}'],
    ["comments", '{/* x */ "a": 1, // "mcp": 2\n "mcp": 3}', '{/* x */ "a": 0, // "mcp": 2\n "mcp": 3}'],
    ["nothing", "", ""],
    ["a list", "[1, 2]", "[1, 2]"],
    ["an unclosed value", '{"mcp": {"x": ', '{"mcp": {"x": '],
  ])("keeps positions around %s", (_, text, expected) => {
    expect(keepJsonSections(text, only("mcp"))).toBe(expected);
  });

  it("filters the second level as well", () => {
    const text = '{"projects": {"/a": {"big": 1}, "/b": {"mcp": 1}}}';
    const wanted = (path: readonly string[]) => path.length < 2 || path[1] === "/b";
    expect(keepJsonSections(text, wanted)).toBe('{"projects": {"/a": 0/*     */, "/b": {"mcp": 1}}}');
  });

  it("returns a text with extreme nesting unchanged", () => {
    const text = `{"mcp": ${"[".repeat(5_000)}`;
    expect(keepJsonSections(text, only("mcp"))).toBe(text);
  });
});

describe("keepYamlSections", () => {
  it("keeps the lines of the wanted key, including a list without indentation", () => {
    const text = '%YAML 1.1\n---\na: &x\n  b: 1\nmcp:\n- c: 2\n# d\n  e: 3\n"f": !tag 4\n';
    expect(keepYamlSections(text, { keys: ["mcp"] })).toBe("\n\n\n\nmcp:\n- c: 2\n# d\n  e: 3\n\n");
  });

  it("keeps only the wanted members", () => {
    const text = "registry:\n  a:\n    x: 1\n  b:\n    y:\n      - z: 2\n  c: {}\nother: 1";
    expect(keepYamlSections(text, { keys: ["registry"], members: ["b"] })).toBe(
      "registry:\n\n\n  b:\n    y:\n      - z: 2\n\n",
    );
  });

  it("returns a flow mapping unchanged, and nothing if no key is wanted", () => {
    expect(keepYamlSections("{mcp: {a: 1}}", { keys: ["mcp"] })).toBe("{mcp: {a: 1}}");
    expect(keepYamlSections("a: 1", { keys: ["mcp"] })).toBe("");
  });
});

describe("parseSection", () => {
  const json: Section = { format: "json", keys: ["mcpServers"] };
  const toml: Section = { format: "toml", keys: ["mcp_servers"] };

  it.each<[string, string, Section, object]>([
    [
      "JSON that is invalid outside of the section",
      '{"a": {"__proto__": 1, "b": 1, "b": 2}, "mcpServers": {}}',
      json,
      {},
    ],
    ["an empty file", "\n", json, {}],
    ["YAML without the section", "a: 1", { format: "yaml", keys: ["extensions"] }, {}],
    ["YAML of comments", "# nothing\n", { format: "yaml", keys: "all" }, {}],
    ["TOML", "[mcp_servers.a]\ncommand = 'x'\nsince = 2026-01-02\nbig = 9007199254740993", toml, {}],
  ])("accepts %s", async (_, text, section) => {
    expect((await parseSection(text, section)).kind).toBe("document");
  });

  it.each<[string, string, Section, object]>([
    [
      "broken JSON",
      '{"mcpServers": {\n  "a" 1}}',
      json,
      { position: { line: 2, column: 7 }, reason: "expected a colon" },
    ],
    [
      "a dangerous key",
      '{"mcpServers": {"__proto__": {"command": "x"}}}',
      json,
      { position: { line: 1, column: 17 }, reason: "is not allowed as a key" },
    ],
    ["a duplicate key", '{"mcpServers": {}, "mcpServers": {}}', json, { reason: "is written twice" }],
    ["deep nesting", `{"mcpServers": ${"[".repeat(100_000)}`, json, { reason: "is nested more than 64 levels deep" }],
    ["broken TOML", "a = 1\nb = secret", toml, { position: { line: 2, column: 5 }, reason: "is not valid TOML" }],
    ["TOML with a duplicate key", "a = 1\na = 2", toml, { reason: "is written twice" }],
    ["TOML with deep nesting", `a = ${"[".repeat(500)}`, toml, { reason: "is nested more than 64 levels deep" }],
    ["TOML with a dangerous key", "[mcp_servers.__proto__]\nx = 1", toml, { reason: "is not allowed as a key" }],
  ])("reports the position of %s", async (_, text, section, expected) => {
    const parsed = await parseSection(text, section);
    expect(parsed.kind === "faults" ? parsed.faults[0] : parsed).toMatchObject(expected);
  });

  it("reports the line of a TOML table, with or without quotes", async () => {
    const parsed = await parseSection('[mcp_servers.a]\nx = 1\n[mcp_servers."b c".env]\ny = 2', toml);
    if (parsed.kind !== "document") throw new Error("not parsed");
    expect(parsed.document.positionOf(["mcp_servers", "a", "x"])).toEqual({ line: 1, column: 1 });
    expect(parsed.document.positionOf(["mcp_servers", "b c", "env"])).toEqual({ line: 3, column: 1 });
    expect(parsed.document.positionOf(["other"])).toEqual({ line: 1, column: 1 });
  });

  it.each<[string, (blanks: string) => string, Section]>([
    ["a key of YAML", (blanks) => `a${blanks}x`, { format: "yaml", keys: ["extensions"] }],
    ["a quoted key of YAML", (blanks) => `"a"${blanks}x`, { format: "yaml", keys: ["extensions"] }],
    ["a header of TOML", (blanks) => `a = """\n[a${blanks}x\n"""`, toml],
    ["the start of a header of TOML", (blanks) => `a = """\n[${blanks}x\n"""`, toml],
  ])("takes linear time for many blanks in %s", async (_, write, section) => {
    await expectLinear((count) => {
      const text = flat(write(" ".repeat(count)));
      return () => parseSection(text, section);
    }, 25_000);
  });

  it("takes linear time for other data around the wanted section", async () => {
    await expectLinear((count) => {
      const other = `"history": [${'{"display": "text", "n": [1,2,3]},'.repeat(count)} 1]`;
      const text = flat(`{${other}, "mcpServers": {"a": {"command": "x"}}}`);
      return async () => {
        const parsed = await parseSection(text, json);
        expect(parsed.kind === "document" && parsed.document.value).toEqual({
          history: 0,
          mcpServers: { a: { command: "x" } },
        });
      };
    }, 25_000);
  });
});
