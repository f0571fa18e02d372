import { describe, expect, it } from "vitest";
import { type BaselineDocument, type CreateBaseline, takeBest, toBaselineDocument } from "./baseline.js";
import { createBm25 } from "./bm25.js";
import { createMiniSearch } from "./minisearch.js";
import { createSeedScorer } from "./seed.js";
import { splitWords } from "./words.js";

const document = (id: string, rest: Partial<BaselineDocument> = {}): BaselineDocument => ({
  id,
  server: "s",
  name: id,
  description: "",
  parameters: [],
  tags: [],
  ...rest,
});

const NOTHING: ReadonlySet<string> = new Set();

const DOCUMENTS = [
  document("create_issue", { description: "Open a ticket in a repository", parameters: ["repoName"] }),
  document("listRepos", { description: "List repositories", tags: ["Code"] }),
  document("read_file", { description: "Read a file from disk", parameters: ["path"] }),
];

const rank = async (create: CreateBaseline, query: string, hidden = NOTHING) =>
  (await create(DOCUMENTS))(query, hidden).map(({ id }) => id);

describe.each([
  ["seed", createSeedScorer],
  ["bm25", createBm25],
  ["minisearch", createMiniSearch],
])("%s", (_name, create) => {
  it("ranks the tool that contains the words of the query first", async () => {
    expect(await rank(create, "read file")).toMatchObject({ 0: "read_file" });
  });

  it("returns nothing if no word matches", async () => {
    expect(await rank(create, "xyzzy")).toEqual([]);
  });

  it("does not return hidden tools", async () => {
    expect(await rank(create, "read file", new Set(["read_file"]))).not.toContain("read_file");
  });
});

describe("createSeedScorer", () => {
  const scores = (query: string) =>
    Object.fromEntries(createSeedScorer(DOCUMENTS)(query, NOTHING).map(({ id, score }) => [id, score]));

  it("adds the points of a document, up to 1", () => {
    // Whole query in a name 1.0, in a description 0.8; each of its words in a name 0.5, in a description 0.3; a tag 0.3.
    expect(scores("zz repo")).toEqual({ listRepos: 0.8, create_issue: 0.3 });
    expect(scores("disk")).toEqual({ read_file: 1 });
    expect(scores("zz code")).toEqual({ listRepos: 0.3 });
    expect(scores("zz ticket")).toEqual({ create_issue: 0.3 });
    expect(scores("read_file")).toEqual({ read_file: 1 });
  });

  it("keeps documents with equal scores in the order of the catalog", () => {
    expect(Object.keys(scores("zz repositor"))).toEqual(["create_issue", "listRepos"]);
  });
});

describe("createBm25", () => {
  it("computes Okapi BM25 with k1 1.2 and b 0.75", () => {
    const rank = createBm25([document("a", { name: "x", description: "y y z" }), document("b", { name: "z" })]);
    // One of two documents contains y, twice. Its text has 4 words; the average is 2.5.
    const rarity = Math.log(1 + 1.5 / 1.5);
    const expected = (rarity * (2 * 2.2)) / (2 + 1.2 * (0.25 + (0.75 * 4) / 2.5));
    const [best, ...others] = rank("Y y", NOTHING);
    expect(best?.id).toBe("a");
    expect(best?.score).toBeCloseTo(expected, 12);
    expect(others).toEqual([]);
  });

  it("reads the words of parameter names", async () => {
    expect(await rank(createBm25, "repo name")).toEqual(["create_issue"]);
  });
});

describe("createMiniSearch", () => {
  it.each([
    ["the beginning of a long word", "repos", "listRepos"],
    ["a long word with a typing error", "repositery", "create_issue"],
  ])("finds by %s", async (_name, query, id) => {
    expect(await rank(createMiniSearch, query)).toMatchObject({ 0: id });
  });
});

describe("splitWords", () => {
  it.each([
    ["getHTTPUser_by-id2", ["get", "httpuser", "by", "id2"]],
    ["Größe ändern", ["größe", "ändern"]],
    ["…", []],
  ])("splits %s", (text, words) => {
    expect(splitWords(text)).toEqual(words);
  });
});

describe("takeBest", () => {
  it("returns the best ten in order, keeps the order of equal scores, and omits documents without a score", () => {
    const documents = Array.from({ length: 14 }, (_, number) => document(`d${number}`));
    const scores = [0, 1, 5, 1, 3, 3, 2, 2, 2, 9, 1, 1, 1, 8];
    const best = takeBest(scores, documents, new Set(["d9"]));
    expect(best.map(({ id }) => id)).toEqual(["d13", "d2", "d4", "d5", "d6", "d7", "d8", "d1", "d3", "d10"]);
  });
});

describe("toBaselineDocument", () => {
  it("accepts any schema", () => {
    const tool = { id: "s:t", server: "s", name: "t", hash: "", enabled: true, tags: ["x"] };
    expect(
      toBaselineDocument({ ...tool, definition: { name: "t", inputSchema: { properties: { a: {}, b: {} } } } }),
    ).toEqual({ id: "s:t", server: "s", name: "t", description: "", parameters: ["a", "b"], tags: ["x"] });
    expect(toBaselineDocument({ ...tool, definition: { name: "t", inputSchema: {} } }).parameters).toEqual([]);
  });
});
