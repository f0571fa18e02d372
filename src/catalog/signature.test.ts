import { describe, expect, it } from "vitest";
import type { ToolDefinition } from "../model/tool.js";
import { toSignature } from "./signature.js";

const signature = (inputSchema: object) =>
  toSignature({ name: "t", inputSchema: inputSchema as ToolDefinition["inputSchema"] });

describe("toSignature", () => {
  it.each<[object, string]>([
    [{ type: "object", properties: { a: { type: "string" } }, required: ["a"] }, "t(a: string)"],
    [
      {
        type: "object",
        properties: { state: { enum: ["open", "closed"] }, page: { type: "integer", minimum: 1, default: 1 } },
        additionalProperties: false,
      },
      "t(state?: 'open'|'closed', page?: integer 1.. = 1)",
    ],
    [
      { properties: { of: { $ref: "#/$defs/kind" } }, $defs: { kind: { type: "string", format: "uri" } } },
      "t(of?: string uri)",
    ],
    [{ type: "object" }, "t()"],
    [{ type: "object", properties: {} }, "t()"],
    [{ properties: 5, required: "odd" }, "t()"],
    [{ type: "object", properties: { a: {} }, anyOf: [{ required: ["a"] }] }, "t(a?: any, …)"],
    [{ $ref: "#/$defs/input" }, "t(…)"],
  ])("writes the signature of %j", (inputSchema, expected) => {
    expect(signature(inputSchema)).toBe(expected);
  });

  it("ends after a thousand characters", () => {
    const properties = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`parameter${n}`, { type: "string" }]));
    expect(signature({ properties }).length).toBeLessThan(1_010);
    expect(signature({ properties })).toMatch(/…\)$/u);
  });
});
