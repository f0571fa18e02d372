import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectCpuTime, flat } from "../../test/support/cost.js";
import { summarize } from "./summary.js";

describe("summarize", () => {
  it.each([
    ["the first sentence", "Create an issue. Needs a token.", "Create an issue."],
    ["one line", "Create an issue\n  in a\trepository", "Create an issue in a repository"],
    ["an abbreviation does not end the sentence", "Reads files, e.g. text. More.", "Reads files, e.g. text."],
    ["a version number does not end the sentence", "Talks to API v1.2 only. More.", "Talks to API v1.2 only."],
    ["a question mark ends the sentence", "Lost? Use this.", "Lost?"],
    ["a heading is skipped", "# GitHub\n\nCreate an issue.", "Create an issue."],
    ["a label is skipped", "Description:\nCreate an issue.", "Create an issue."],
    ["a label on the same line is removed", "Description: Create an issue.", "Create an issue."],
    ["a bold title is skipped", "**Create issue**\nOpens a new issue.", "Opens a new issue."],
    ["a line of decoration is skipped", "=====\nOpens a new issue.", "Opens a new issue."],
    ["an XML tag is skipped", "<usecase>\nOpens a new issue.\n</usecase>", "Opens a new issue."],
    ["a bullet's mark is removed", "- Opens a new issue\n- Closes it", "Opens a new issue"],
    ["a list ends the paragraph", "Manages issues\n- open\n- close", "Manages issues"],
    ["markup is removed", "Opens a **new** `issue` in [GitHub](https://x.test).", "Opens a new issue in GitHub."],
    ["other scripts have full stops too", "创建一个问题。需要令牌。", "创建一个问题。"],
    ["a lone heading is better than nothing", "# Create issue", "Create issue"],
    ["an empty text stays empty", " \n ", ""],
    [
      "a deprecation note comes first",
      "Read a file as text. DEPRECATED: Use read_text_file instead. Slow.",
      "DEPRECATED: Use read_text_file instead. Read a file as text.",
    ],
    [
      "a deprecation note at the start is followed by what the tool does",
      "DEPRECATED: Use read_text_file\n\nRead a file.",
      "DEPRECATED: Use read_text_file. Read a file.",
    ],
    ["a deprecation label is not skipped", "**Deprecated**\nRead a file.", "Deprecated. Read a file."],
    ["a deprecation note in brackets", "(deprecated: use `x`) reads a file.", "Deprecated: use x. reads a file."],
    ["only a deprecation note", "Deprecated.", "Deprecated."],
    ["an opening is removed", "This tool allows you to create an issue.", "Create an issue."],
    ["another opening", "A tool that creates issues.", "Creates issues."],
    ["a third opening", "Use this tool to create an issue. More.", "Create an issue."],
    ["a fourth opening", "Tool for creating issues", "Creating issues"],
    ["a fifth opening", "This endpoint retrieves all issues.", "Retrieves all issues."],
    ["a sentence that only looks like an opening stays", "This tool is slow.", "This tool is slow."],
    ["a sentence that is only an opening stays", "This tool will go", "This tool will go"],
    ["a warning at the start is skipped", "IMPORTANT: Ask first! Creates an issue.", "Creates an issue."],
    ["a paragraph of warnings is skipped", "**NOTE:** Always log in.\n\nCreates an issue.", "Creates an issue."],
    ["a lone warning is better than nothing", "IMPORTANT: ask the user first.", "ask the user first."],
    [
      "a sentence about the origin is skipped",
      "This is a tool from the GitHub MCP server. Creates issues.",
      "Creates issues.",
    ],
    ["a server in brackets is removed", "[GitHub] Create an issue", "Create an issue"],
    ["an emoji is removed", "🎯 Purpose:\n  1. Creates an issue.", "Creates an issue."],
    ["scopes are skipped", "**Required scopes:** `repo`\n\nCreates an issue.", "Creates an issue."],
    ["code is skipped", "```console\ncurl -s\n```\nCreates an issue.", "Creates an issue."],
    ["tags around the text are removed", "<usecase>Creates an issue.</usecase>", "Creates an issue."],
    [
      "keeps an element that the sentence is about",
      "Picks an option of a <select> element",
      "Picks an option of a <select> element",
    ],
    ["a placeholder counts as empty", "Description not available", ""],
  ])("%s", (_, description, summary) => {
    expect(summarize(description)).toBe(summary);
  });

  it("truncates at a word boundary", () => {
    expect(summarize("Create an issue in a repository of the given owner", 30)).toBe("Create an issue in a…");
  });

  it.each([
    ["dots", ". "],
    ["brackets", "[("],
    ["openings", "this tool allows you to "],
    ["lines", "\n# a"],
    ["marks", "**a`<b"],
    ["deprecations", "deprecated (["],
    ["control characters", "\u0000\u202e"],
  ])("takes no longer for a text of a million %s than for one of ten thousand", async (_, part) => {
    const summarizeMany = (count: number) => {
      const text = flat(part.repeat(count));
      return () => expect(summarize(text).length).toBeLessThanOrEqual(100);
    };
    await expectCpuTime(summarizeMany(1_000_000), { maxRatio: 10, control: summarizeMany(10_000) });
  });

  it("returns one line within the length for every text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        const summary = summarize(text, 80);
        expect(summary.length).toBeLessThanOrEqual(80);
        expect(summary).not.toMatch(/[\r\n\t]/u);
      }),
    );
  });
});
