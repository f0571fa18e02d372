import { describe, expect, it } from "vitest";
import type { SearchDocument } from "./fields.js";
import { createSearchIndex } from "./search-index.js";

function doc(id: string, description: string): SearchDocument {
  const [server = "", name = ""] = id.split(":");
  return { id, server, name, description, parameters: [], tags: [] };
}

function createFirst(documents: readonly SearchDocument[]): (query: string) => string | undefined {
  const index = createSearchIndex(documents);
  return (query) => index.search(query, { limit: 10 }).hits[0]?.id.split(":")[0];
}

const rival = [
  doc("tracker:add_issue_comment", "Add a comment to an issue."),
  doc("tracker:list_issues", "List the issues."),
];

describe("the product of a server", () => {
  it("is a known name, whatever other words the server's name has", () => {
    const first = createFirst([...rival, doc("someone-mcp-server-atlassian-jira:post", "Send a POST request.")]);
    expect(first("add a comment to a Jira issue")).toBe("someone-mcp-server-atlassian-jira");
    expect(first("add a comment to an issue")).toBe("tracker");
  });

  it("is a known name, even if tools of other servers mention it more often", () => {
    const others = ["a", "b", "c", "d"].map((name) => doc(`cloud:manage_${name}`, "Manage a MySQL database."));
    const first = createFirst([...others, doc("someone-mcp-mysql-server:run", "Execute it.")]);
    expect(first("manage my mysql database")).toBe("someone-mcp-mysql-server");
  });

  it("is the word with which most names of its tools start", () => {
    const own = ["get", "put", "post", "patch"].map((name) => doc(`work:zork_${name}`, "Make a call."));
    const few = ["get", "put", "post", "patch", "read", "call"].map((name) => doc(`work:${name}`, "Make a call."));
    expect(createFirst([...rival, ...own])("add a comment in zork")).toBe("work");
    expect(createFirst([...rival, ...own.slice(0, 3)])("add a comment in zork")).toBe("tracker");
    expect(createFirst([...rival, ...own, ...few])("add a comment in zork")).toBe("tracker");
  });

  it("may be written as one word", () => {
    const first = createFirst([...rival, doc("zork-quux:post", "Make a call, such as for a comment.")]);
    expect(first("add a comment in zorkquux")).toBe("zork-quux");
    expect(first("add a comment in quuxzork")).toBe("tracker");
  });

  // A tool of a product that is named in full fits, although it matches no other word of the request.
  const nonsense = "asdfgh yxcvbn plokij mnbvcx lkjhgf poiuzt qayxsw edcvfr tgbnhz ujmkio";
  const fitOf = (server: string): string =>
    createSearchIndex([...rival, doc(`${server}:post`, "Make a call.")]).search(`${nonsense} in zork`, { limit: 10 })
      .fit;

  it("is not the owner of the server", () => {
    expect(fitOf("someone-mcp-server-zork")).not.toBe("none");
    expect(fitOf("someone-zork")).toBe("none");
  });

  it("is named in full without a word that contains it", () => {
    expect(fitOf("zorkapi-zork")).not.toBe("none");
    expect(fitOf("quuxapi-zork")).toBe("none");
  });
});
