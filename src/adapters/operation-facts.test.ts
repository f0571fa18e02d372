import { describe, expect, it } from "vitest";
import { factsFor, matchesName } from "./operation-facts.js";

describe("matchesName", () => {
  it.each([
    ["create-charge", "create-charge", true],
    ["create-*", "create-charge", true],
    ["*", "", true],
    ["*-charge", "create-charge", true],
    ["create-?harge", "create-charge", true],
    ["create", "create-charge", false],
    ["*-refund", "create-charge", false],
    ["a*b*c", "aXbYbZc", true],
    ["", "a", false],
  ])("%s on %s: %s", (pattern, name, expected) => {
    expect(matchesName(pattern, name)).toBe(expected);
  });

  it("matches any pattern in bounded time", () => {
    expect(matchesName(`${"*a".repeat(2_000)}b`, "a".repeat(64))).toBe(false);
  });
});

it("uses the first entry that states each fact", () => {
  const entries = [
    { tools: ["refund"], risk: "destructive" },
    { tools: ["other"], risk: "low", reversible: true },
    { tools: ["*"], risk: "high", idempotent: false },
  ];
  expect(factsFor("refund", entries)).toEqual({ risk: "destructive", idempotent: false });
});
