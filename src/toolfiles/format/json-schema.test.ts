import { Validator } from "@cfworker/json-schema";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { toolFileJsonSchema } from "./json-schema.js";
import { toToolFileText } from "./to-text.js";
import type { ToolFile } from "./tool-file.js";

const file: ToolFile = {
  toolId: "a_b",
  version: "1.0.0",
  server: "a",
  tool: { name: "b", inputSchema: {} },
  discoveredAt: "2026-01-27T12:00:00Z",
  definitionHash: "0".repeat(64),
  needs: [],
  connection: { kind: "stdio", command: "x", args: [], env: {} },
  timeoutMs: 30_000,
};
const check = (content: unknown) => new Validator(toolFileJsonSchema(), "7").validate(content).valid;

it("the JSON Schema accepts what is written, of both kinds", () => {
  expect(check(parse(toToolFileText(file)))).toBe(true);
  expect(check(parse(toToolFileText({ ...file, connection: { kind: "http", url: "https://a.b", headers: {} } })))).toBe(
    true,
  );
});

it("the JSON Schema rejects unknown keys and wrong versions", () => {
  const content = parse(toToolFileText(file)) as object;
  expect(check({ ...content, more: 1 })).toBe(false);
  expect(check({ ...content, version: "1" })).toBe(false);
});
