import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseToolFile } from "./parse-tool-file.js";
import { toToolFileText } from "./to-text.js";
import { definitionHash, type ToolFile } from "./tool-file.js";

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc
    .array(
      fc.constantFrom(
        "a",
        " ",
        "\n",
        "\t",
        "\r",
        "#",
        ":",
        "- ",
        '"',
        "'",
        "\\",
        "|",
        "%",
        "---",
        "\u0085",
        "\u202e",
        "\ufeff",
        "\0",
        "💡",
        "\u{e0041}",
        "é",
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join("")),
  fc.constantFrom(
    "yes",
    "null",
    "~",
    "1e3",
    "0x1f",
    "2026-01-27",
    "1:30",
    "=",
    "<<",
    "${HOME}",
    ".inf",
    "-0",
    "",
    "\ud800",
  ),
);
const FORBIDDEN = new Set(["__proto__", "constructor", "prototype", "<<"]);
const anyKey = anyText.filter((key) => !FORBIDDEN.has(key));
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    anyText,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("json"), { maxLength: 4 }),
    fc.dictionary(anyKey, tie("json"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const object = fc.dictionary(anyKey, json, { maxKeys: 5, noNullPrototype: true });

const definition = fc.record(
  {
    name: anyText,
    title: anyText,
    description: anyText,
    inputSchema: object,
    outputSchema: object,
    annotations: object,
  },
  { requiredKeys: ["name", "inputSchema"], noNullPrototype: true },
);
const PLAIN = { noNullPrototype: true };
const printable = fc.string({
  unit: fc.constantFrom("a", "Z", "0", " ", "-", "_", "'", '"', "#", ":", "{", "}", "é", "💡", "%"),
});
const connection = fc.oneof(
  fc.record(
    {
      kind: fc.constantFrom("http" as const, "sse" as const),
      url: fc.constantFrom(
        "https://a.example/mcp",
        "http://127.0.0.1:3000/a?b=%20&c=#d",
        "https://[::1]/'x'",
        "https://é.example",
      ),
      headers: fc.constantFrom({}, { "X-Key": "${KEY}" }, { Authorization: "Bearer ${KEY}", "X-Plain": "yes: no #1" }),
    },
    PLAIN,
  ),
  fc.record(
    {
      kind: fc.constant("stdio" as const),
      command: printable.filter((text) => text !== "").map((text) => `x${text}`),
      args: fc.array(
        anyText.filter((text) => !text.includes("\0") && !text.includes("${")),
        { maxLength: 4 },
      ),
      env: fc.constantFrom({}, { KEY: "${KEY}", MODE: "on" }),
    },
    PLAIN,
  ),
);

const file = fc
  .record({
    tool: definition,
    connection,
    description: printable,
    required: fc.boolean(),
    timeoutMs: fc.integer({ min: 1, max: 900_000 }),
  })
  .map(({ tool, connection, description, required, timeoutMs }): ToolFile => {
    const header = connection.kind === "stdio" ? undefined : Object.keys(connection.headers)[0];
    return {
      toolId: "some_tool",
      version: "1.2.3",
      server: "some",
      tool,
      discoveredAt: "2026-01-27T12:00:00Z",
      definitionHash: definitionHash(tool),
      needs: [{ name: "KEY", description, ...(header === undefined ? {} : { header }), required }],
      connection,
      timeoutMs,
    };
  });

describe("a file of any definition", () => {
  it("is read back unchanged", () => {
    fc.assert(
      fc.property(file, (original) => {
        const text = toToolFileText(original);
        expect(parseToolFile(Buffer.from(text), "some_tool.yaml")).toStrictEqual({ kind: "ok", file: original });
        expect(toToolFileText(original)).toBe(text);
      }),
      { numRuns: 400 },
    );
  });

  it("contains no invisible and no control characters", () => {
    fc.assert(
      fc.property(file, (original) => {
        expect(toToolFileText(original)).not.toMatch(/(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});
