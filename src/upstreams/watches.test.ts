import { expect, it } from "vitest";
import { createWatches } from "./watches.js";

it("tells everybody who watches a resource, and nobody else", () => {
  const watches = createWatches();
  const told: string[] = [];
  watches.add("a", () => told.push("first"));
  watches.add("a", () => told.push("second"));
  watches.add("b", () => told.push("other"));
  watches.tell("a");
  expect(told).toEqual(["first", "second"]);
  expect(watches.uris).toEqual(["a", "b"]);
});

it("tells of a resource whoever watches what it is a part of", () => {
  const watches = createWatches();
  const told: string[] = [];
  for (const uri of ["dir://a", "dir://a/", "dir://a/b", "dir://ab", "dir://"]) watches.add(uri, () => told.push(uri));
  watches.tell("dir://a/b/c");
  expect(told).toEqual(["dir://a", "dir://a/", "dir://a/b", "dir://"]);
});

it("says when the last one leaves, and only then", () => {
  const watches = createWatches();
  const listener = (): void => undefined;
  const [first, second] = [watches.add("a", listener), watches.add("a", listener)];
  expect(first()).toBe(false);
  expect(first()).toBe(false);
  expect(watches.uris).toEqual(["a"]);
  expect(second()).toBe(true);
  expect(second()).toBe(false);
  expect(watches.uris).toEqual([]);
});
