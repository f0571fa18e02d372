import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectCpuTime, flat } from "../../test/support/cost.js";
import type { SearchDocument } from "./fields.js";
import { type SearchQuery, createSearchIndex } from "./search-index.js";

function doc(id: string, description: string, rest: Partial<SearchDocument> = {}): SearchDocument {
  const [server = "", name = ""] = id.split(":");
  return { id, server, name, description, parameters: [], tags: [], ...rest };
}

const documents = [
  doc("github:create_issue", "Create a new issue in a repository.", {
    parameters: [{ name: "assignee", description: "Login of the person in charge" }],
  }),
  doc("github:create_issue_comment", "Add a comment to an issue."),
  doc("github:list_repositories", "List the repositories of an organization."),
  doc("github:delete_branch", "Delete a branch.", { tags: ["dangerous"] }),
  doc("fs:read_file", "Read the contents of a text file.", { serverDescription: "Access to the local disk" }),
  doc("fs:writeFile", "Write text to a file, replacing what was there."),
  doc("weather:get_forecast", "Weather forecast for a city.", { title: "Outlook" }),
  doc("mail:send", "Send an electronic letter.", {
    parameters: [{ name: "to", description: "Address of the recipient" }],
  }),
];
const index = createSearchIndex(documents);
const ids = (query: string, options: Partial<SearchQuery> = {}): string[] =>
  index.search(query, { limit: 10, minRelevance: 0.05, ...options }).hits.map((hit) => hit.id);
const best = (query: string): number => index.search(query, { limit: 1 }).hits[0]?.relevance ?? 0;

describe("search", () => {
  it.each([
    ["words of the name", "issue create", "github:create_issue"],
    ["other inflections", "creating issues", "github:create_issue"],
    ["a plural", "file reading", "fs:read_file"],
    ["camel case in the name", "write file", "fs:writeFile"],
    ["camel case in the query", "deleteBranch", "github:delete_branch"],
    ["a synonym of the verb alone", "erase", "github:delete_branch"],
    ["a synonym of the noun alone", "directory document", "fs:read_file"],
    ["the server's name", "mail", "mail:send"],
    ["the server's description", "local disk", "fs:read_file"],
    ["the title", "outlook", "weather:get_forecast"],
    ["a parameter's name", "assignee", "github:create_issue"],
    ["a parameter's description", "recipient", "mail:send"],
    ["a tag", "dangerous", "github:delete_branch"],
    ["a letter missing", "forcast", "weather:get_forecast"],
    ["two letters swapped", "ogranization", "github:list_repositories"],
    ["words inside a longer question", "could you please tell me the weather in Paris?", "weather:get_forecast"],
    ["accents", "fórecast", "weather:get_forecast"],
  ])("finds by %s", (_, query, id) => {
    expect(ids(query)[0]).toBe(id);
  });

  it.each([
    ["create_issue", "github:create_issue"],
    ["Create Issue", "github:create_issue"],
    ["github:create-issue", "github:create_issue"],
    ["GITHUB createIssue", "github:create_issue"],
    ["write_file", "fs:writeFile"],
    ["send", "mail:send"],
  ])("puts the tool named %j first with relevance 1", (query, id) => {
    expect(index.search(query, { limit: 5 }).hits[0]).toEqual({ id, relevance: 1 });
  });

  it.each([
    ["list_items", "a:list_items"],
    ["listItems", "b:listItems"],
    ["LISTITEMS", "c:listitems"],
    ["b:listItems", "b:listItems"],
    ["🚀", "d:🚀"],
  ])("ranks the tool with the exact name %j above tools with similar names", (query, id) => {
    const names = createSearchIndex([
      doc("a:list_items", "List all items of the shop"),
      doc("b:listItems", "x"),
      doc("c:listitems", "list items list items list items"),
      doc("d:🚀", "Launch."),
    ]);
    expect(names.search(query, { limit: 1 }).hits).toEqual([{ id, relevance: 1 }]);
  });

  it("does not treat a word that names many tools as the name of one", () => {
    const many = createSearchIndex(Array.from({ length: 10 }, (_, number) => doc(`s${number}:search`, "Search.")));
    const { hits } = many.search("search", { limit: 10 });
    expect(hits).toHaveLength(10);
    expect(hits[0]?.relevance).toBeLessThan(0.8);
  });

  it("corrects a word that only hidden tools have", () => {
    const both = createSearchIndex([
      doc("git:create_issue", "Create an issue in a repository."),
      doc("secret:isue", "Isue isue."),
    ]);
    const accepts = (id: string): boolean => id.startsWith("git:");
    expect(both.search("create isue", { limit: 5, accepts }).hits.map(({ id }) => id)).toEqual(["git:create_issue"]);
  });

  it("orders equal hits by id, for any number and any order of documents", () => {
    const many = Array.from({ length: 300 }, (_, number) =>
      doc(`s${String(number).padStart(3, "0")}:ping_host`, "Ping."),
    );
    const first = ["s000:ping_host", "s001:ping_host", "s002:ping_host"];
    for (const documents_ of [many, many.toReversed()]) {
      const { hits } = createSearchIndex(documents_).search("ping a host", { limit: 3 });
      expect(hits.map(({ id }) => id)).toEqual(first);
    }
  });

  it("gives relevance 1 only to an exact name", () => {
    const [, ...others] = index.search("create_issue", { limit: 10 }).hits;
    expect(others.map((hit) => hit.id)).toEqual(["github:create_issue_comment"]);
    expect(others.every((hit) => hit.relevance < 1)).toBe(true);
  });

  it("gives a weak best match a low relevance", () => {
    expect(best("delete branch")).toBeGreaterThan(0.8);
    expect(best("delete spaceship trajectories quickly")).toBeLessThan(0.5);
    expect(best("delete spaceship trajectories quickly")).toBeGreaterThan(0);
  });

  it("ranks a tool with more occurrences higher, and never increases relevance down the list", () => {
    const close = createSearchIndex([
      doc("a:get_pull_request", "Get a pull request."),
      doc("b:pull_request", "Pull request pull request. Pull request.", {
        title: "Pull request",
        tags: ["pull request"],
      }),
      doc("c:other", "Something else."),
    ]);
    const { hits } = close.search("a pull request, please", { limit: 5 });
    expect(hits.map(({ id }) => id)).toEqual(["b:pull_request", "a:get_pull_request"]);
    expect(hits[0]?.relevance).toBeGreaterThanOrEqual(hits[1]?.relevance ?? 1);
  });

  it("ranks tools of the same name by the rest of their text", () => {
    const twins = createSearchIndex([
      doc("a:send", "Transmits."),
      doc("b:send", "Send: send a message. Sends."),
      doc("c:x", "Other."),
    ]);
    expect(twins.search("send", { limit: 5 }).hits).toEqual([
      { id: "b:send", relevance: 1 },
      { id: "a:send", relevance: 1 },
    ]);
  });

  it("ranks a deprecated tool below its equal, but first if the query is its name", () => {
    const pair = createSearchIndex([
      doc("a:read_file", "Read a file as text. DEPRECATED: Choose another."),
      doc("b:file_read", "Read a file as text. Recommended: Choose this."),
    ]);
    const found = (query: string): string[] => pair.search(query, { limit: 5 }).hits.map((hit) => hit.id);
    expect(found("reading a file as text")).toEqual(["b:file_read", "a:read_file"]);
    expect(pair.search("read_file", { limit: 5 }).hits[0]).toEqual({ id: "a:read_file", relevance: 1 });
  });

  it.each<[string, Partial<SearchDocument>]>([
    ["its tags", { tags: ["finance-team", "readonly"] }],
    ["the description of its server", { serverDescription: "Readonly reports for the finance team" }],
  ])("finds a tool that differs from another only by %s", (_, difference) => {
    const twins = createSearchIndex([doc("a:run", "Runs."), doc("b:run", "Runs.", difference), doc("c:run", "Runs.")]);
    for (const query of ["finance team", "readonly"]) {
      expect(twins.search(query, { limit: 5, minRelevance: 0.05 }).hits.map((hit) => hit.id)).toEqual(["b:run"]);
    }
  });

  it("ranks the word itself above its synonym", () => {
    const both = createSearchIndex([doc("a:remove_x", ""), doc("b:delete_x", "")]);
    const search = (query: string): string | undefined => both.search(query, { limit: 5 }).hits[0]?.id;
    expect([search("delete the x thing"), search("remove the x thing")]).toEqual(["b:delete_x", "a:remove_x"]);
  });

  it("lists hits far below the best only by name", () => {
    const answer = index.search("list the repositories of an organization, or a file", { limit: 10 });
    expect(answer.hits.map(({ id }) => id).slice(0, 1)).toEqual(["github:list_repositories"]);
    expect(answer.hits.length).toBeLessThan(3);
    expect(answer.also.map(({ id }) => id)).toContain("fs:writeFile");
    expect(index.search("file", { limit: 10 }).hits.map(({ id }) => id)).toEqual(["fs:read_file", "fs:writeFile"]);
  });

  it("returns nothing below the requested minimum relevance", () => {
    expect(index.search("delete spaceship trajectories quickly", { limit: 10, minRelevance: 0.6 })).toEqual({
      fit: "none",
      hits: [],
      also: [],
      missing: [],
    });
  });

  it.each(["", "   ", "?!…", "what is it?", "xyzzy"])("lists three tools that do not fit for %j", (query) => {
    const answer = index.search(query, { limit: 10 });
    expect(answer).toMatchObject({ fit: "none", hits: { length: 3 }, also: [] });
    expect(index.search(query, { limit: 2 }).hits).toHaveLength(2);
  });

  it("always lists a tool that the caller may see, for every query", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 80 }), (query) => {
        const accepts = (id: string): boolean => id === "mail:send";
        expect(index.search(query, { limit: 5, accepts }).hits.map(({ id }) => id)).toEqual(["mail:send"]);
      }),
      { numRuns: 200 },
    );
  });

  it("never states that nothing fits if the caller has chosen a server", () => {
    expect(index.search("xyzzy", { limit: 5, isNarrowed: true }).fit).toBe("unsure");
  });

  it("lists tools beyond the limit by name", () => {
    const many = createSearchIndex(Array.from({ length: 20 }, (_, number) => doc(`s${number}:ping_host`, "Ping.")));
    const answer = many.search("ping", { limit: 3 });
    expect(answer.hits.map((hit) => hit.id)).toEqual(["s0:ping_host", "s10:ping_host", "s11:ping_host"]);
    expect(answer.also).toHaveLength(9);
  });

  it("checks visibility before it applies the limit", () => {
    const hidden = (id: string): boolean => id !== "github:create_issue";
    const answer = index.search("create issue", { limit: 1, accepts: hidden });
    expect(answer.hits.map((hit) => hit.id)).toEqual(["github:create_issue_comment"]);
    expect(answer.also.map((hit) => hit.id)).not.toContain("github:create_issue");
  });

  it("compares hits only with the best one that the caller may see", () => {
    expect(ids("weather forecast issue", { accepts: (id) => id.startsWith("github:") })).toContain(
      "github:create_issue",
    );
  });

  it("does not find that a tool fits because of a similarly spelled word", () => {
    const own = createSearchIndex([doc("kit:compare", "Compares two texts, whether they differ or not.")]);
    expect(own.search("weather in Paris", { limit: 5 })).toMatchObject({ fit: "none", hits: [{ id: "kit:compare" }] });
  });

  it("gives the same answer for any order of the documents", () => {
    const reversed = createSearchIndex([...documents].reverse());
    for (const query of ["issue", "file", "create", "list text files in a repo", "xyzzy"]) {
      expect(reversed.search(query, { limit: 10 })).toEqual(index.search(query, { limit: 10 }));
    }
  });

  it("gives the same answer every time", () => {
    const first = index.search("create a file", { limit: 10 });
    for (let round = 0; round < 50; round += 1) {
      index.search("delete everything", { limit: 10 });
      expect(index.search("create a file", { limit: 10 })).toEqual(first);
    }
  });

  it("works without documents", () => {
    const empty = createSearchIndex([]);
    expect(empty.size).toBe(0);
    expect(empty.search("anything", { limit: 10 })).toEqual({ fit: "none", hits: [], also: [], missing: [] });
  });

  it("never throws and keeps relevance between 0 and 1, for every query and document", () => {
    const text = fc.string({ unit: "binary", maxLength: 60 });
    fc.assert(
      fc.property(text, fc.array(fc.tuple(text, text), { maxLength: 4 }), (query, tools) => {
        const own = createSearchIndex(
          tools.map(([name, description], number) => doc(`s:${number}`, description, { name })),
        );
        for (const any of [index, own]) {
          for (const hit of any.search(query, { limit: 10 }).hits) {
            expect(hit.relevance).toBeGreaterThan(0);
            expect(hit.relevance).toBeLessThanOrEqual(1);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it("corrects at most the first eight mistyped words of a query", () => {
    const correct = (query: string): string[] => index.explain(query, doc("a:forecast", "")).map(({ word }) => word);
    const wrong = ["forcast", ...Array.from({ length: 7 }, (_, number) => `qqzzxx${number}${number}`)];
    expect(correct(wrong.join(" "))).toEqual(["forcast"]);
    expect(correct(wrong.toReversed().join(" "))).toEqual(["forcast"]);
    expect(correct(["qqzzxx88", ...wrong.toReversed()].join(" "))).toEqual([]);
  });

  it("answers 5,000 mistyped words over 2,000 tools about as fast as as many known words", async () => {
    const large = createSearchIndex(
      Array.from({ length: 2_000 }, (_, number) =>
        doc(`s:tool_${number}`, `Does thing number ${number} for word${number}.`),
      ),
    );
    const search = (word: string, other: string) => {
      const query = flat(Array.from({ length: 5_000 }, (_, number) => `${word}${number} ${other}`).join(" "));
      return () => large.search(query, { limit: 10 });
    };
    await expectCpuTime(search("wrod", "thingy"), { maxRatio: 10, control: search("word", "thing") });
  });
});
