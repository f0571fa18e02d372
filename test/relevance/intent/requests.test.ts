import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { isInHalf } from "../../../bench/search/half.js";

interface Operation {
  readonly document: string;
  readonly method: string;
  readonly path: string;
}

interface IntentRequest {
  readonly request: string;
  readonly context?: Readonly<Record<string, string>>;
  readonly accepted: readonly Operation[];
  readonly half: "tune" | "report";
}

type Paths = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const CONTEXT: Readonly<Record<string, RegExp>> = {
  country: /^[A-Z]{2}$/,
  currency: /^[A-Z]{3}$/,
  use_case: /^(one-time|subscription|marketplace)$/,
};

const REQUESTS = JSON.parse(readFileSync(new URL("requests.json", import.meta.url), "utf8")) as IntentRequest[];
const DATA = process.env["ANYGPT_DATA"];

const nameOf = ({ document, method, path }: Operation): string => `${document} ${method} ${path}`;

describe("the requests of the intent measurement", () => {
  it("are 150, each different", () => {
    expect(REQUESTS).toHaveLength(150);
    const texts = REQUESTS.map(({ request }) =>
      request
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, " ")
        .trim(),
    );
    expect(new Set(texts).size).toBe(150);
    expect(texts).not.toContain("");
  });

  it("each accept at least one operation and none twice", () => {
    for (const { accepted } of REQUESTS) {
      expect(accepted).not.toHaveLength(0);
      expect([...new Set(accepted.map(nameOf))]).toEqual(accepted.map(nameOf));
    }
  });

  it("name an operation by its document, method and path", () => {
    const fields = { document: expect.stringMatching(/^[\w./-]+\.(json|yaml)$/), path: expect.stringMatching(/^\//) };
    const operation = { ...fields, method: expect.stringMatching(/^(GET|PUT|POST|DELETE|PATCH)$/) };
    for (const { accepted } of REQUESTS) expect(accepted).toEqual(accepted.map(() => operation));
  });

  it("state a context of known fields where they need one", () => {
    const contexts = REQUESTS.flatMap(({ context }) => (context === undefined ? [] : [context]));
    expect(contexts.length).toBeGreaterThanOrEqual(10);
    for (const context of contexts) {
      expect(Object.keys(context)).not.toHaveLength(0);
      for (const [field, value] of Object.entries(context)) expect(value).toMatch(CONTEXT[field] ?? /^no such field$/);
    }
  });

  it("are in the half that the hash of their text selects", () => {
    const misplaced = REQUESTS.filter(({ request, half }) => !isInHalf(request, half));
    expect(misplaced.map(({ request }) => request)).toEqual([]);
  });

  it("accept only operations that their documents have", ({ skip }) => {
    if (DATA === undefined || DATA === "")
      return skip("ANYGPT_DATA names no folder, so there are no documents to look in.");
    const documents = new Map<string, Paths>();
    const pathsOf = (document: string): Paths => {
      const known = documents.get(document) ?? readPaths(join(DATA, "openapi", document));
      documents.set(document, known);
      return known;
    };
    const accepted = REQUESTS.flatMap((request) => request.accepted);
    const missing = accepted.filter(
      ({ document, method, path }) => pathsOf(document)[path]?.[method.toLowerCase()] === undefined,
    );
    expect(missing.map(nameOf)).toEqual([]);
  });
});

function readPaths(file: string): Paths {
  const text = readFileSync(file, "utf8");
  // JSON is YAML too, but a YAML parser is much slower.
  const document = file.endsWith(".json") ? JSON.parse(text) : parse(text, { maxAliasCount: -1 });
  return (document as { paths: Paths }).paths;
}
