import { expect, it } from "vitest";
import { cutText, MAX_SHOWN_TEXT, withBoundedTexts } from "./bounded-texts.js";

it("cuts a long text between characters and says how much is missing", () => {
  expect(cutText("abcdef", 4)).toBe("abcd… (2 more characters)");
  expect(cutText("abc😀f", 4)).toBe("abc… (3 more characters)");
  expect(cutText("abcd", 4)).toBe("abcd");
});

it("cuts titles and descriptions at every depth, and no values", () => {
  const long = "x".repeat(MAX_SHOWN_TEXT + 5);
  const cut = `${"x".repeat(MAX_SHOWN_TEXT)}… (5 more characters)`;
  const schema = (text: string) => ({
    type: "object",
    properties: { default: { description: text, default: { description: long }, enum: [long], const: long } },
    anyOf: [{ title: text }],
  });
  expect(withBoundedTexts({ name: long, description: long, inputSchema: schema(long) })).toEqual({
    name: long,
    description: cut,
    inputSchema: schema(cut),
  });
});

it("returns a definition without long texts as the same object", () => {
  const item = { name: "a", description: "b", inputSchema: { properties: { a: { description: "c" } }, enum: [1] } };
  expect(withBoundedTexts(item)).toBe(item);
});
