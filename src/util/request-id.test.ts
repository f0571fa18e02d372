import { expect, it } from "vitest";
import { newRequestId } from "./request-id.js";

it("is a UUID of version 7", () => {
  expect(newRequestId()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

it("sorts by creation time", () => {
  const ids = [0, 1, 1_700_000_000_000, 1_700_000_000_001, 2 ** 48 - 1].map((now) => newRequestId(now));
  expect(ids.toSorted()).toEqual(ids);
});

it("is different each time", () => {
  const now = 1_700_000_000_000;
  expect(new Set(Array.from({ length: 1000 }, () => newRequestId(now))).size).toBe(1000);
});
