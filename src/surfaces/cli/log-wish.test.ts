import { describe, expect, it } from "vitest";
import { toLogWish } from "./log-wish.js";

describe("what is wanted of the log", () => {
  it.each([
    ["nothing", {}, undefined, { level: "info", format: "text" }],
    ["the environment", {}, "debug,json", { level: "debug", format: "json" }],
    ["what is typed more than the environment", { level: "error" }, "debug,json", { level: "error", format: "json" }],
    ["what is typed", { level: "warn", format: "json" }, undefined, { level: "warn", format: "json" }],
  ])("is by %s", (_, typed, variable, wish) => {
    const env = variable === undefined ? {} : { ANYGPT_LOG: variable };
    expect(toLogWish({ level: undefined, format: undefined, ...typed }, env)).toEqual(wish);
  });

  it("is nothing that nobody knows", () => {
    const none = { level: undefined, format: undefined };
    expect(() => toLogWish(none, { ANYGPT_LOG: "loud" })).toThrow(/ANYGPT_LOG is no level/);
  });
});
