import { describe, expect, it } from "vitest";
import { nearestNames } from "./nearest.js";

const names = ["create_issue", "create_issue_comment", "get_issue", "list_issues", "search_code", "fork", "me"];

describe("nearestNames", () => {
  it.each([
    ["other separators and case", "CreateIssue", ["create_issue", "create_issue_comment"]],
    ["a letter missing", "create_isue", ["create_issue"]],
    ["two letters swapped", "get_isseu", ["get_issue"]],
    ["a part of a name, the start first", "create", ["create_issue", "create_issue_comment"]],
    ["a name that contains a known one", "fork_repository", ["fork"]],
    ["a part inside", "code", ["search_code"]],
    ["an unrelated name", "send_email", []],
    ["parts that are too short", "me_too", []],
    ["a name without letters and digits", "--", []],
  ])("suggests names for %s", (_, name, nearest) => {
    expect(nearestNames(name, names)).toEqual(nearest);
  });

  it("sorts by distance, then by name, independent of the order of the candidates", () => {
    const candidates = ["tool_c", "tool_a", "tool_bb", "tool_b", "tool_a"];
    expect(nearestNames("tool_x", candidates, 3)).toEqual(["tool_a", "tool_b", "tool_c"]);
    expect(nearestNames("tool_x", candidates.reverse(), 3)).toEqual(["tool_a", "tool_b", "tool_c"]);
  });

  it("returns at most the requested number", () => {
    expect(nearestNames("issue", names, 1)).toHaveLength(1);
  });
});
