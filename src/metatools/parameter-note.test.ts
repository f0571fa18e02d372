import { expect, it } from "vitest";
import { toParameterNote } from "./parameter-note.js";

it.each<[string, string, object, string]>([
  ["issue_number", "The issue number", {}, ""],
  ["issueNumber", "Number of the issue.", {}, ""],
  ["user_id", "ID of the user", {}, ""],
  ["user", "User ID", {}, "User ID"],
  ["repo", "Repository name (owner/repo)", {}, "Repository name (owner/repo)"],
  ["path", "(optional) Where to start", {}, "Where to start"],
  ["path", "Optional. Where to start", {}, "Where to start"],
  ["path", "Where to start (required)", {}, "Where to start"],
  ["limit", "How many to give (default: 10)", { default: 10 }, "How many to give"],
  ["limit", "How many to give. Defaults to 10.", { default: 10 }, "How many to give."],
  ["limit", "How many to give (default: 20)", { default: 10 }, "How many to give (default: 20)"],
  ["mode", "The mode, default 'a.b' for all", { default: "a.b" }, "The mode, default 'a.b' for all"],
  ["limit", "The limit, at most 5", {}, "The limit, at most 5"],
  ["tags", " Tags\n  separated by\tcommas ", {}, "Tags separated by commas"],
  ["a", "", {}, ""],
])("reduces the description of %s, %j with the schema %j, to %j", (name, description, schema, expected) => {
  expect(toParameterNote(name, schema, description)).toBe(expected);
});
