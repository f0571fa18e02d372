import { describe, expect, it } from "vitest";
import { MAX_CLAUSES, splitClauses } from "./clauses.js";

describe("splitClauses", () => {
  it.each([
    ["list my open issues", ["list my open issues"]],
    [
      "Find flights to Rome tomorrow. Book a hotel there; also, tell me the weather",
      ["Find flights to Rome tomorrow.", "Book a hotel there;", "tell me the weather"],
    ],
    ["read the config file and send it by mail", ["read the config file", "send it by mail"]],
    ["search and replace in files", ["search replace in files"]],
    ["a b c, and then d", ["a b c then d"]],
    ["", [""]],
  ])("%j becomes %j", (query, clauses) => {
    expect(splitClauses(query)).toEqual(clauses);
  });

  it("keeps every word of a request with very many parts", () => {
    const query = Array.from({ length: 30 }, (_, number) => `do thing number${number} now.`).join(" ");
    const clauses = splitClauses(query);
    expect(clauses).toHaveLength(MAX_CLAUSES);
    expect(clauses.join(" ")).toBe(query);
  });
});
