import { expect, it } from "vitest";
import { bump, compareVersions } from "./versions.js";

it.each([
  ["1.2.3", "same", "1.2.3"],
  ["1.2.3", "patch", "1.2.4"],
  ["1.2.3", "minor", "1.3.0"],
  ["1.2.3", "major", "2.0.0"],
  ["0.9.9", "minor", "0.10.0"],
] as const)("%s after a change of kind %s is %s", (version, kind, next) => {
  expect(bump(version, kind)).toBe(next);
});

it.each([
  ["1.0.0", "1.0.0", 0],
  ["1.9.0", "1.10.0", -1],
  ["2.0.0", "1.99.99", 1],
  ["1.0.1", "1.0.0", 1],
])("%s against %s is %i", (one, other, expected) => {
  expect(Math.sign(compareVersions(one, other))).toBe(expected);
});
