import { expect, it } from "vitest";
import { createRedact } from "./redact.js";

it.each([
  ["hides a value wherever it stands", ["s3cret-token"], "token=s3cret-token, s3cret-token", "token=***, ***"],
  ["hides the longer of two values that begin alike", ["abcdef", "abcdefghi"], "abcdefghi", "***"],
  ["leaves short values, which are words as well", ["true", "1"], "true and 1", "true and 1"],
])("%s", (_name, values, text, expected) => {
  expect(createRedact(values)(text)).toBe(expected);
});
