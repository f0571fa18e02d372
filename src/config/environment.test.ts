import { describe, expect, it } from "vitest";
import { searchFromEnvironment } from "./environment.js";

describe("searchFromEnvironment", () => {
  it.each([
    [{ MCP_DEFAULT_LIMIT: "many" }, "The environment: MCP_DEFAULT_LIMIT: must be a number, not text."],
    [{ MCP_DEFAULT_LIMIT: "51" }, "The environment: MCP_DEFAULT_LIMIT: must be at most 50."],
    [{ MCP_DEFAULT_LIMIT: "1.5" }, "The environment: MCP_DEFAULT_LIMIT: must be a whole number, not a fraction."],
    [{ MCP_DEFAULT_LIMIT: "0x10" }, "The environment: MCP_DEFAULT_LIMIT: must be a number, not text."],
    [
      { MCP_DEFAULT_LIMIT: "-1", MCP_SEARCH_MIN_CONFIDENCE: "50%" },
      "The environment has 2 problems: MCP_DEFAULT_LIMIT: must be at least 1; MCP_SEARCH_MIN_CONFIDENCE: must be a number, not text.",
    ],
  ])("rejects %j", (env, message) => {
    expect(() => searchFromEnvironment(env)).toThrow(expect.objectContaining({ code: "CONFIGURATION_ERROR", message }));
  });
});
