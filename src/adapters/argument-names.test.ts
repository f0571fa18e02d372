import fc from "fast-check";
import { expect, it } from "vitest";
import { nameArguments, type Placed } from "./argument-names.js";

const PLACES = ["path", "query", "header", "cookie", "body"] as const;

it.each<[string, Placed[], string[]]>([
  ["keeps names that are used once", [{ in: "header", name: "X-Id" }], ["X-Id"]],
  [
    "prefers path, query, header, cookie and body for the plain name, in this order",
    [
      { in: "body", name: "id" },
      { in: "cookie", name: "id" },
      { in: "path", name: "id" },
    ],
    ["body_id", "cookie_id", "id"],
  ],
  [
    "never takes a name that another parameter has unchanged",
    [
      { in: "path", name: "id" },
      { in: "body", name: "id" },
      { in: "query", name: "body_id" },
    ],
    ["id", "body_id_", "body_id"],
  ],
  [
    "changes names that clients reject",
    [
      { in: "query", name: "expand[]" },
      { in: "query", name: "$filter" },
      { in: "query", name: "filter" },
      { in: "query", name: "日本" },
      { in: "query", name: "__proto__" },
    ],
    ["expand", "query_filter", "filter", "query_", "query___proto__"],
  ],
])("%s", (_, given, expected) => {
  const names = nameArguments(given);
  expect(given.map((placed) => names.get(placed))).toEqual(expected);
});

it("names are unique, accepted by every client, and independent of the order", () => {
  const word = fc.oneof(fc.constantFrom("id", "body_id", "id[]", "__proto__", "constructor", ""), fc.string());
  const placed = fc.record({ in: fc.constantFrom(...PLACES), name: word });
  fc.assert(
    fc.property(fc.uniqueArray(placed, { maxLength: 20, selector: (one) => `${one.in} ${one.name}` }), (given) => {
      const names = nameArguments(given);
      const list = given.map((one) => names.get(one)!);
      expect(new Set(list).size).toBe(given.length);
      for (const name of list) expect(name).toMatch(/^[A-Za-z0-9_.-]{1,80}$/);
      expect(given.map((one) => nameArguments([...given].reverse()).get(one))).toEqual(list);
    }),
  );
});
