import { describe, expect, it } from "vitest";
import { searchOptions } from "./options.js";

describe("search", () => {
  it("has a default for every option", () => {
    expect(searchOptions.parse(undefined)).toEqual({
      limit: 10,
      minRelevance: 0,
      semantic: true,
      usage: true,
      suggestions: true,
    });
  });

  it.each([
    { limit: 0 },
    { limit: 51 },
    { limit: 1.5 },
    { minRelevance: -0.1 },
    { minRelevance: 1.1 },
    { usage: "yes" },
    { max: 5 },
  ])("rejects %j", (input) => {
    expect(searchOptions.safeParse(input).success).toBe(false);
  });
});
