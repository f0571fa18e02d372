import { describe, expect, it } from "vitest";
import { resolveLogOptions } from "./log-options.js";

describe("the log options", () => {
  it.each([
    ["the defaults", {}, undefined, { level: "info", format: "text" }],
    ["the environment variable", {}, "debug,json", { level: "debug", format: "json" }],
    [
      "the command line before the environment variable",
      { level: "error" },
      "debug,json",
      { level: "error", format: "json" },
    ],
    ["the command line", { level: "warn", format: "json" }, undefined, { level: "warn", format: "json" }],
  ])("come from %s", (_, typed, variable, expected) => {
    const env = variable === undefined ? {} : { ANYGPT_LOG: variable };
    expect(resolveLogOptions({ level: undefined, format: undefined, ...typed }, env)).toEqual(expected);
  });

  it("reject an unknown value of the environment variable", () => {
    const none = { level: undefined, format: undefined };
    expect(() => resolveLogOptions(none, { ANYGPT_LOG: "loud" })).toThrow(/ANYGPT_LOG is not a valid log level/);
  });
});
