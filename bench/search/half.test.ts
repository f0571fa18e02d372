import { describe, expect, it } from "vitest";
import { fnv1a, isInHalf, takeHalf } from "./half.js";

describe("fnv1a", () => {
  // Published test vectors of the 32-bit hash.
  it.each([
    ["", 0x811c9dc5],
    ["a", 0xe40c292c],
    ["foobar", 0xbf9cf968],
  ])("hashes %j", (text, hash) => {
    expect(fnv1a(text)).toBe(hash);
  });
});

describe("isInHalf", () => {
  it("assigns every query to exactly one half, and all queries to `all`", () => {
    const queries = Array.from({ length: 200 }, (_, number) => `query ${number}`);
    const tuned = queries.filter((query) => isInHalf(query, "tune"));
    expect(queries.filter((query) => isInHalf(query, "report"))).toEqual(
      queries.filter((query) => !tuned.includes(query)),
    );
    expect(tuned.length).toBeGreaterThan(70);
    expect(tuned.length).toBeLessThan(130);
    expect(queries.every((query) => isInHalf(query, "all"))).toBe(true);
  });

  it("assigns hashes whose eighth bit is 0 to `tune`", () => {
    expect(isInHalf("foobar", "tune")).toBe(true);
    expect(isInHalf("", "tune")).toBe(false);
    expect(isInHalf("a", "tune")).toBe(true);
  });
});

describe("takeHalf", () => {
  const set = { name: "small", tools: [], queries: [{ query: "foobar", relevant: [] }], unanswerable: ["foobar"] };

  it("also filters the unanswerable queries", () => {
    expect(takeHalf({ ...set, unanswerable: ["foobar", ""] }, "tune").unanswerable).toEqual(["foobar"]);
    expect(takeHalf(set, "all")).toEqual(set);
  });

  it("rejects a half without queries", () => {
    expect(() => takeHalf(set, "report")).toThrow('No query of small is in the half "report".');
  });
});
