import { describe, expect, it } from "vitest";
import { fromEnvironment, gatewayOptions, modeOptions, profileOptions } from "./options.js";

describe("profile, mode and gateway options", () => {
  it("have defaults", () => {
    expect(profileOptions.parse(undefined)).toBe("discovery");
    expect(modeOptions.parse(undefined)).toBe("lazy");
    expect(gatewayOptions.parse(undefined)).toEqual({ minConfidence: 0.5, limit: 3, dots: true });
  });

  it.each([{ minConfidence: 2 }, { limit: 0 }, { registry: "" }, { dot: false }])("reject %j", (section) => {
    expect(gatewayOptions.safeParse(section).success).toBe(false);
  });
});

describe("fromEnvironment", () => {
  it("reads every variable, and ignores empty ones", () => {
    const env = {
      MCP_TOOL_MODE: "full",
      MCP_REGISTRY_PATH: " ./operations.json ",
      MCP_SEARCH_MIN_CONFIDENCE: "0.25",
      MCP_DEFAULT_LIMIT: "5",
    };
    expect(fromEnvironment(env)).toEqual({
      values: { mode: "full", gateway: { registry: "./operations.json", minConfidence: 0.25, limit: 5 } },
      problems: [],
    });
    expect(fromEnvironment({ MCP_TOOL_MODE: " ", MCP_DEFAULT_LIMIT: "" })).toEqual({ values: {}, problems: [] });
  });

  it("names every invalid variable", () => {
    const env = { MCP_TOOL_MODE: "all", MCP_SEARCH_MIN_CONFIDENCE: "much", MCP_DEFAULT_LIMIT: "1e3" };
    const { values, problems } = fromEnvironment(env);
    expect(values).toEqual({});
    expect(problems.map(({ variable }) => variable)).toEqual(Object.keys(env));
    expect(problems[0]?.reason).toContain("lazy");
  });
});
