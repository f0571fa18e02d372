import { describe, expect, it } from "vitest";
import { toStem } from "./stem.js";

describe("toStem", () => {
  it.each([
    ["issues", "issue"],
    ["searching", "searched"],
    ["repositories", "repository"],
    ["customers", "customer"],
    ["utilizations", "utilization"],
  ])("is the same for %s and %s", (left, right) => {
    expect(toStem(left)).toBe(toStem(right));
  });

  it.each([
    ["news", "new"],
    ["customer", "custom"],
    ["conversation", "conversion"],
    ["authorization", "author"],
    ["settings", "set"],
  ])("keeps %s apart from %s", (left, right) => {
    expect(toStem(left)).not.toBe(toStem(right));
  });
});
