import { describe, expect, it } from "vitest";
import type { SearchDocument } from "./fields.js";
import { createSearchIndex, type SearchQuery } from "./search-index.js";

function doc(id: string, description: string, takes: readonly string[] = []): SearchDocument {
  const [server = "", name = ""] = id.split(":");
  const parameters = takes.map((name_) => ({ name: name_, description: "", isRequired: true }));
  return { id, server, name, description, parameters, tags: [] };
}

const index = createSearchIndex([
  doc("jira:add_comment", "Add a comment to an issue.", ["issue_key", "body"]),
  doc("jira:search_issues", "Search issues.", ["query"]),
  doc("linear:create_comment", "Create a comment on an issue in the tracker.", ["issue_id", "body"]),
  doc("linear:list_issues", "List issues of a team.", ["team"]),
  doc("line:send_sms", "Send a text message (SMS) to a phone.", ["to", "text"]),
  doc("cloud:delete_snapshot", "Delete a database snapshot, which is a backup of the database.", ["snapshot_id"]),
  doc("cloud:create_snapshot", "Create a snapshot of a database.", ["database"]),
  doc("cloud:list_snapshots", "List the snapshots of a database.", ["database"]),
  doc("films:similar_movies", "Get movies similar to a movie.", ["movie_id"]),
  doc("films:search_movie", "Search movies by title.", ["query"]),
  doc("films:get_movie_reviews", "Get the reviews of a movie.", ["movie_id"]),
  doc("pdf:read_pdf", "Read the text of a PDF file.", ["path"]),
  doc("web:web_search", "Search the web.", ["query"]),
  doc("web:fetch_page", "Fetch a URL and read the web page.", ["url"]),
]);
const search = (query: string, options: Partial<SearchQuery> = {}) => index.search(query, { limit: 10, ...options });
const first = (query: string): string | undefined => search(query).hits[0]?.id;
const all = (query: string): string[] => {
  const { hits, also } = search(query);
  return [...hits, ...also].map(({ id }) => id);
};

describe("a named product", () => {
  it("comes first, whatever else fits", () => {
    expect(first("add a comment to a Jira issue")).toBe("jira:add_comment");
    expect(first("create a comment on an issue in Linear")).toBe("linear:create_comment");
  });

  it("is reported if the catalog does not have it, and nothing is a good fit then", () => {
    const answer = search("send an SMS with Twilio");
    expect([answer.missing, answer.hits[0]?.id]).toEqual([["Twilio"], "line:send_sms"]);
    expect(answer.fit).not.toBe("good");
    expect(answer.hits[0]?.relevance).toBeLessThan(search("send an SMS").hits[0]?.relevance ?? 0);
    expect(search("add a comment to a Jira issue").missing).toEqual([]);
  });

  it("is missing if its words occur only in different tools", () => {
    const own = createSearchIndex([doc("a:google_search", "Search."), doc("b:calendar_list", "List events.")]);
    expect(own.search("list my Google Calendar events", { limit: 5 }).missing).toEqual(["Google Calendar"]);
  });

  it("counts as missing if only hidden tools have it", () => {
    const accepts = (id: string): boolean => !id.startsWith("jira:");
    expect(search("add a comment to a Jira issue", { accepts }).missing).toEqual(["Jira"]);
  });
});

describe("the action", () => {
  it("never puts a deletion first for a request that does not ask for it", () => {
    expect(first("take a backup of the database")).not.toBe("cloud:delete_snapshot");
    expect(first("database snapshot")).not.toBe("cloud:delete_snapshot");
    expect(first("delete the database snapshot")).toBe("cloud:delete_snapshot");
  });

  it("distinguishes creating from listing", () => {
    expect(first("create a snapshot")).toBe("cloud:create_snapshot");
    expect(first("show all snapshots")).toBe("cloud:list_snapshots");
  });
});

it("ranks a deprecated tool below its replacement, although the query has its name", () => {
  const own = createSearchIndex([
    doc("fs:read_file", "DEPRECATED: Use read_text_file instead. Read the complete contents of a file as text.", [
      "path",
    ]),
    doc("fs:read_text_file", "Read the complete contents of a file from the file system as text.", ["path"]),
  ]);
  expect(own.search("read a file", { limit: 5 }).hits[0]?.id).toBe("fs:read_text_file");
});

describe("a REST operation", () => {
  it("is found by its method and path", () => {
    const rest = (id: string, method: string, path: string): SearchDocument => ({ ...doc(id, ""), method, path });
    const own = createSearchIndex([
      rest("git:issues-list", "GET", "/repos/{owner}/{repo}/issues"),
      rest("git:issues-create", "POST", "/repos/{owner}/{repo}/issues"),
      rest("git:branches-list", "GET", "/repos/{owner}/{repo}/branches"),
    ]);
    const { fit, hits } = own.search("POST /repos/{owner}/{repo}/issues", { limit: 5 });
    expect([fit, hits[0]]).toEqual(["good", { id: "git:issues-create", relevance: 1 }]);
  });
});

describe("tools that find an identifier", () => {
  it("rise if a better candidate needs the identifier", () => {
    expect(all("recommend movies similar to Breaking Bad").slice(0, 2).toSorted()).toEqual([
      "films:search_movie",
      "films:similar_movies",
    ]);
  });

  it("do not rise if the query has the identifier", () => {
    const rank = (query: string): number => all(query).indexOf("films:search_movie");
    expect(rank("reviews of the movie with the id 42")).toBeGreaterThan(rank("reviews of the movie Alien"));
  });
});

describe("a request with several steps", () => {
  it("has a best tool for each step", () => {
    const { hits } = search("Read the PDF report and then add a comment to the Jira issue");
    const best = hits.flatMap(({ id, step }) => (step === undefined ? [] : [`${step} ${id}`]));
    expect(best.toSorted()).toEqual(["1 pdf:read_pdf", "2 jira:add_comment"]);
    expect(search("read the PDF report").hits.every(({ step }) => step === undefined)).toBe(true);
  });
});

describe("general-purpose tools", () => {
  it("fit open questions and URLs", () => {
    expect(first("Find information about quantum computing")).toBe("web:web_search");
    expect(search("Find information about quantum computing").fit).not.toBe("none");
    expect(first("Extract the content of https://example.com/a?b=c")).toBe("web:fetch_page");
  });

  it("do not make a request for the caller's own things fit", () => {
    expect(search("qwertz my zuiop").fit).toBe("none");
  });
});

describe("tools that the caller has used", () => {
  const usage = (used: string) => (id: string) => (id === used ? 1 : 0);

  it("rank a little higher, with the same answer for the same history", () => {
    const rank = (options: Partial<SearchQuery>): number =>
      search("comment on the issue", options).hits.findIndex(({ id }) => id === "linear:create_comment");
    const used = { usage: usage("linear:create_comment") };
    expect(rank(used)).toBe(0);
    expect(search("comment on the issue", used)).toEqual(search("comment on the issue", used));
  });

  it("do not rank higher than a product that the query names", () => {
    const { hits } = search("add a comment to a Jira issue", { usage: usage("linear:create_comment") });
    expect(hits[0]?.id).toBe("jira:add_comment");
  });
});
