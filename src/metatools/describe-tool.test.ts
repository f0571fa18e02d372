import { describe, expect, it } from "vitest";
import type { Tool, ToolDefinition } from "../model/tool.js";
import { describeTool } from "./describe-tool.js";
import { toExecutionResult } from "./to-execution-result.js";

const tool = (definition: Omit<ToolDefinition, "name">): Tool => ({
  id: "fs:read file",
  server: "fs",
  name: "read file",
  definition: { name: "read file", ...definition } as ToolDefinition,
  hash: "",
  enabled: true,
  tags: [],
});

describe("describeTool", () => {
  it("states name, type, required and description of each parameter", () => {
    const details = describeTool(
      tool({
        description: "Reads a file.",
        inputSchema: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where" },
            head: { type: "integer", default: 10 },
            mode: { $ref: "#/$defs/mode" },
          },
          required: ["path"],
          $defs: { mode: { enum: ["r", "rb"], description: "How" } },
        },
      }),
    );
    expect(details).toEqual({
      server: "fs",
      tool: "read file",
      description: "Reads a file.",
      parameters: [
        { name: "path", type: "string", required: true, description: "Where" },
        { name: "head", type: "integer = 10", required: false },
        { name: "mode", type: "'r'|'rb'", required: false, description: "How" },
      ],
    });
  });

  it("cuts long descriptions after a sentence and names the resource with the complete definition", () => {
    const description = `${"First sentence is here. ".repeat(20)}${"x".repeat(400)}`;
    const details = describeTool(tool({ description, inputSchema: { type: "object" } }));
    expect(details.description).toMatch(/here\.…$/);
    expect(details.description.length).toBeLessThanOrEqual(500);
    expect(details.full).toBe("anygpt://tools/fs/read%20file");
  });

  it("adds the raw schema if the parameters do not express all of it", () => {
    const inputSchema = {
      type: "object",
      properties: { a: {}, b: {} },
      oneOf: [{ required: ["a"] }, { required: ["b"] }],
    };
    expect(describeTool(tool({ inputSchema })).inputSchema).toBe(inputSchema);
    expect(describeTool(tool({ inputSchema: { type: "object" } }))).not.toHaveProperty("inputSchema");
  });

  it("adds the raw schema of a parameter that a type expression cannot express", () => {
    const odd = { type: "string", if: { const: "a" }, else: { minLength: 2 } };
    const details = describeTool(
      tool({ inputSchema: { type: "object", properties: { a: odd, b: { type: "string" } } } }),
    );
    expect(details.parameters).toEqual([
      { name: "a", type: "string …", required: false, schema: odd },
      { name: "b", type: "string", required: false },
    ]);
    expect(details).not.toHaveProperty("inputSchema");
  });

  it("adds the raw schema of the tool if that of a parameter contains a $ref", () => {
    const inputSchema = {
      type: "object",
      properties: { a: { contains: { $ref: "#/$defs/x" } } },
      $defs: { x: { type: "string" } },
    };
    expect(describeTool(tool({ inputSchema }))).toMatchObject({ inputSchema, parameters: [{ name: "a" }] });
  });

  it("defines named types and the type of additional parameters", () => {
    const details = describeTool(
      tool({
        inputSchema: {
          type: "object",
          properties: { tree: { $ref: "#/$defs/tree" } },
          required: ["tree", "also"],
          additionalProperties: { type: "string" },
          $defs: { tree: { type: "array", items: { $ref: "#/$defs/tree" } } },
        },
      }),
    );
    expect(details).toMatchObject({
      parameters: [
        { name: "tree", type: "tree", required: true },
        { name: "also", type: "string", required: true },
      ],
      types: { tree: "tree[]" },
      additional: "string",
    });
  });

  it("omits descriptions within types for a large schema, and names the resource", () => {
    const member = { type: "string", description: "Something that takes a few words to say" };
    const inputSchema = (count: number) => ({
      type: "object",
      properties: {
        body: {
          type: "object",
          properties: Object.fromEntries(Array.from({ length: count }, (_, n) => [`member${n}`, member])),
        },
      },
    });
    const few = describeTool(tool({ inputSchema: inputSchema(2) }));
    expect(few.parameters[0]?.type).toContain("/*Something that takes a few words to say*/");
    expect(few).not.toHaveProperty("full");
    const many = describeTool(tool({ inputSchema: inputSchema(100) }));
    expect(many.parameters[0]?.type).not.toContain("/*");
    expect(many.parameters[0]?.type).toContain("member99?: string");
    expect(many.full).toBe("anygpt://tools/fs/read%20file");
  });

  it("does not cut a description if the URI of the resource is longer than the part that is cut", () => {
    const description = `${"First sentence is here. ".repeat(11)}More.`;
    expect(describeTool(tool({ description, inputSchema: { type: "object" } }))).toMatchObject({ description });
  });

  it("lists the examples of the schema", () => {
    const details = describeTool(tool({ inputSchema: { type: "object", examples: [{ path: "a" }, "odd"] } }));
    expect(details.examples).toEqual([{ parameters: { path: "a" } }]);
  });
});

describe("toExecutionResult", () => {
  const text = (value: string) => ({ type: "text", text: value });
  it.each<[string, Parameters<typeof toExecutionResult>[0], unknown]>([
    ["structured content", { content: [text("{}")], structuredContent: { a: 1 } }, { success: true, result: { a: 1 } }],
    ["JSON in text", { content: [text('{"a":1}')] }, { success: true, result: { a: 1 } }],
    ["plain text", { content: [text("a"), text("b")] }, { success: true, result: "a\nb" }],
    ["text that only looks like JSON", { content: [text("{a}")] }, { success: true, result: "{a}" }],
    [
      "an image",
      { content: [{ type: "image", data: "" }] },
      { success: true, result: "", content: [{ type: "image", data: "" }] },
    ],
  ])("reads the value from %s", (_, answer, expected) => {
    expect(toExecutionResult(answer, "s", "t")).toEqual(expected);
  });

  it("reports an error of the tool with executed: yes", () => {
    expect(toExecutionResult({ content: [text("rate limit")], isError: true }, "s", "t")).toMatchObject({
      success: false,
      error: { code: "TOOL_EXECUTION_ERROR", message: "rate limit", server: "s", tool: "t", executed: "yes" },
    });
  });
});
