import { describe, expect, it } from "vitest";
import { toExecutionResult } from "./to-execution-result.js";

const text = (value: string) => ({ type: "text", text: value });
const replayed = { "anygpt/replayed": { request_id: "r-1" } };

describe("toExecutionResult", () => {
  it("marks the stored answer of an earlier call", () => {
    expect(toExecutionResult({ content: [text("done")], _meta: replayed }, "s", "t")).toEqual({
      success: true,
      result: "done",
      replayed: true,
    });
    expect(toExecutionResult({ content: [text("full")], isError: true, _meta: replayed }, "s", "t")).toMatchObject({
      success: false,
      error: { code: "TOOL_EXECUTION_ERROR", message: "full" },
      replayed: true,
    });
  });

  it.each<[string, unknown]>([
    ["no metadata", undefined],
    ["other metadata", { "example.com/trace": "t" }],
    ["metadata that is not an object", "anygpt/replayed"],
  ])("does not mark an answer with %s as stored", (_, _meta) => {
    expect(toExecutionResult({ content: [text("done")], _meta }, "s", "t")).toEqual({ success: true, result: "done" });
  });

  it("returns the report of a dry run", () => {
    const found = { dry_run: true, would: "execute", tool: "s:t", risk: "high" };
    const answer = { content: [text(JSON.stringify(found))], structuredContent: found };
    expect(toExecutionResult(answer, "s", "t")).toEqual({ success: true, result: found });
  });
});
