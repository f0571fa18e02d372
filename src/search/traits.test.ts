import { describe, expect, it } from "vitest";
import type { SearchDocument } from "./fields.js";
import { readTraits } from "./traits.js";

function doc(name: string, rest: Partial<SearchDocument> = {}): SearchDocument {
  return { id: `s:${name}`, server: "s", name, description: "", parameters: [], tags: [], ...rest };
}
const parameter = (name: string, isRequired = true) => ({ name, description: "", isRequired });

describe("readTraits", () => {
  it.each<[string, Partial<SearchDocument>, string | undefined]>([
    ["create_issue", {}, "create"],
    ["listCalls", {}, "list"],
    ["user_delete", {}, "delete"],
    ["GET_movie-movie_id-reviews", {}, "read"],
    ["orders", { method: "POST" }, "create"],
    ["fetch-things", { method: "DELETE" }, "delete"],
    ["post-customers", { method: "POST", path: "/v1/customers" }, "create"],
    ["post-customers-customer", { method: "POST", path: "/v1/customers/{customer}" }, "update"],
    ["post-invoices-pay", { method: "POST", path: "/v1/invoices/{invoice}/send" }, "send"],
    ["post-calls", { method: "POST", path: "/Accounts/{Account}/Calls/{Call}.json" }, "update"],
    ["add-member", { method: "PUT", path: "/teams/{team}/members/{member}" }, "create"],
    ["weather", { description: "Returns the weather." }, undefined],
    ["weather", { description: "Gets the weather." }, "read"],
    ["status", { isReadOnly: true }, "read"],
  ])("reads the action of %s %j", (name, rest, action) => {
    expect(readTraits(doc(name, rest)).action).toBe(action);
  });

  it("puts the most important word of the name last", () => {
    expect(readTraits(doc("get_branch_protection")).objects).toEqual(["branch", "protection"]);
    expect(readTraits(doc("list_users_by_team")).objects).toEqual(["team", "users"]);
  });

  it.each<[string, string, boolean]>([
    ["refunds", "/v1/refunds", true],
    ["refunds", "/v1/refunds/{refund}", false],
    ["refund", "/v1/refund", false],
  ])("reads from the path of %s %s whether a REST operation returns several things", (name, path, isList) => {
    expect(readTraits(doc(name, { method: "GET", path }))).toMatchObject({ isList, isOperation: true });
  });

  it("knows which identifiers a tool needs, and which tools find them", () => {
    const similar = doc("similar_movies", { parameters: [parameter("movie_id"), parameter("page", false)] });
    expect(readTraits(similar)).toMatchObject({ needs: ["movie"], findsIdentifiers: false });
    const search = doc("search_movie", { parameters: [parameter("query")] });
    expect(readTraits(search)).toMatchObject({ needs: [], findsIdentifiers: true });
    expect(readTraits(doc("getUser", { parameters: [parameter("id")] })).needs).toEqual(["user"]);
  });

  it.each<[string, string, string, readonly string[]]>([
    ["brave_web_search", "Search the web.", "query", ["web"]],
    ["search_news", "Search the web for news.", "query", []],
    ["fetch", "Fetches a URL from the internet and extracts its contents.", "url", ["page"]],
    ["create_issue", "Create an issue.", "title", []],
  ])("recognizes the general use of %s", (name, description, taken, uses) => {
    expect(readTraits(doc(name, { description, parameters: [parameter(taken)] })).uses).toEqual(uses);
  });
});
