import { describe, expect, it } from "vitest";
import type { SearchDocument } from "./fields.js";
import { createSearchIndex } from "./search-index.js";

const document: SearchDocument = {
  id: "github:delete_branch",
  server: "github",
  name: "delete_branch",
  description: "Delete a branch of a repository. Protected ones are refused.",
  parameters: [{ name: "owner", description: "Login of the account" }],
  tags: ["dangerous"],
};
const index = createSearchIndex([
  document,
  { ...document, id: "github:list", name: "list", description: "List repositories.", tags: [] },
]);

describe("explain", () => {
  it.each([
    ["the word itself", "branch", "branch", "exact", ["name", "firstSentence"]],
    ["another form", "deleting", "delete", "form", ["name", "firstSentence"]],
    ["a synonym", "remove", "delete", "same", ["name", "firstSentence"]],
    ["a typing error", "repositorry", "repository", "typing", ["firstSentence"]],
    ["the rest of the description", "protected", "protected", "exact", ["description"]],
    ["a parameter", "login", "login", "exact", ["parameterDescriptions"]],
  ])("explains %s", (_, word, found, kind, fields) => {
    expect(index.explain(word, document)).toEqual([{ word, found, kind, fields }]);
  });

  it("omits stop words and words that do not occur", () => {
    expect(index.explain("please delete the spaceship", document).map(({ word }) => word)).toEqual(["delete"]);
  });
});
