import { describe, expect, it } from "vitest";
import { openPatternCompiler, splitRegex } from "./pattern.js";

describe("splitRegex", () => {
  it.each([
    ["/issue/", { source: "issue", flags: "" }],
    ["/github.*issue/i", { source: "github.*issue", flags: "i" }],
    ["/a/b/gi", { source: "a/b", flags: "gi" }],
    ["//", { source: "", flags: "" }],
    ["/path", undefined],
    ["/path/*", undefined],
    ["issue/", undefined],
  ])("%s gives %j", (text, parts) => {
    expect(splitRegex(text)).toEqual(parts);
  });
});

describe("openPatternCompiler", () => {
  it("compiles regexes only if one of its patterns is a regex, because it loads the engine only then", async () => {
    const globs = await openPatternCompiler(["a", "!b", "/path/*"]);
    expect(globs("!b").negated).toBe(true);
    expect(() => globs("/x/")).toThrow(TypeError);
    expect((await openPatternCompiler(["a", "!/x/i"]))("/x/").negated).toBe(false);
  });
});
