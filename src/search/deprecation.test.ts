import { describe, expect, it } from "vitest";
import { findDeprecation } from "./deprecation.js";

describe("findDeprecation", () => {
  it.each([
    ["DEPRECATED: Use read_text_file instead. Reads a file.", "DEPRECATED: Use read_text_file instead."],
    ["Reads a file. DEPRECATED: Use read_text_file instead.", "DEPRECATED: Use read_text_file instead."],
    ["Reads a file.\nDeprecated, please use another.", "Deprecated, please use another."],
    ["Lists emojis; deprecated, use `get emojis` instead.", "deprecated, use `get emojis` instead."],
    ["(deprecated: use `create a fork` instead) creates a fork", "deprecated: use `create a fork` instead"],
    ["[deprecated] retrieves the user", "deprecated"],
    ["**DEPRECATED**\nReads a file.", "DEPRECATED"],
    ["⚠️ DEPRECATED: Use get_top.", "DEPRECATED: Use get_top."],
    ["DEPRECATED - set the field instead", "DEPRECATED - set the field instead"],
    ["Deprecated in favour of x.", "Deprecated in favour of x."],
    ["**This endpoint is deprecated.**\nMerges a fork.", "This endpoint is deprecated."],
    ["Deletes it. So, this tool is now deprecated for good.", "this tool is now deprecated for good."],
  ])("finds the note in %j", (description, note) => {
    expect(findDeprecation(description)?.note).toBe(note);
  });

  it.each([
    "Check if packages are deprecated",
    "Deprecated packages of a project.",
    "Cleans up deprecated toggles.",
    "Attendee report (deprecated) and recordings (deprecated) are artifacts.",
    "Prefer `a` over the deprecated `b`.",
    "STATUS: 1=Active, 2=Review, 3=Deprecated (verify it)",
    "Filter by state: ACTIVE, DEPRECATED.",
    `${"Reads. ".repeat(400)}DEPRECATED: not this.`,
    "",
  ])("finds none in %j", (description) => {
    expect(findDeprecation(description)).toBeUndefined();
  });

  it("returns the rest of the description", () => {
    expect(findDeprecation("Reads $& a file. DEPRECATED: Use x. More.")?.rest).toBe("Reads $& a file. \n More.");
  });
});
