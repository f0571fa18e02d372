import { describe, expect, it } from "vitest";
import { expectLinear, flat } from "../../../test/support/cost.js";
import { withoutPayload } from "./payload.js";
import { interpretRequest } from "./request.js";

describe("withoutPayload", () => {
  it.each([
    ['send "delete everything now" to jo@example.com', "send to"],
    ["translate 'good morning' into French", "translate into French"],
    ["don't delete it, it's Ana's file", "don't delete it, it's Ana's file"],
    ['"only a quote"', '"only a quote"'],
  ])("removes quoted texts, URLs and addresses from %j", (query, rest) => {
    expect(withoutPayload(query).replace(/\s+/gu, " ").trim()).toBe(rest);
  });

  it.each(["a@", "a.", '"', "'", "https://", "take it ", "id ", "what is ", "a@a.", "and do "])(
    "and the rest of the request are read in linear time for a text that repeats %j",
    async (piece) => {
      await expectLinear((count) => {
        const text = flat(piece.repeat(count));
        return () => [withoutPayload(text), interpretRequest(text)];
      }, 500);
    },
  );
});
