import { expect, it } from "vitest";
import { createWatches } from "./watches.js";

it("notifies every listener of a resource, and no other", () => {
  const watches = createWatches();
  const notified: string[] = [];
  watches.add("a", () => notified.push("first"));
  watches.add("a", () => notified.push("second"));
  watches.add("b", () => notified.push("other"));
  watches.notify("a");
  expect(notified).toEqual(["first", "second"]);
  expect(watches.uris).toEqual(["a", "b"]);
});

it("notifies the listeners of a resource when a part of it changes", () => {
  const watches = createWatches();
  const notified: string[] = [];
  for (const uri of ["dir://a", "dir://a/", "dir://a/b", "dir://ab", "dir://"])
    watches.add(uri, () => notified.push(uri));
  watches.notify("dir://a/b/c");
  expect(notified).toEqual(["dir://a", "dir://a/", "dir://a/b", "dir://"]);
});

it("reports when the last listener is removed, and only then", () => {
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
