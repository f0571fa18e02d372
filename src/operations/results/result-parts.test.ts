import { expect, it } from "vitest";
import { withoutSaved } from "./result-parts.js";

const IMAGE = { type: "image", mimeType: "image/png", data: "AAAA" };
const TEXT = { type: "text", text: "a chart" };
const NOTES = { type: "resource", resource: { uri: "file:///notes", text: "notes" } };
const BLOB = { type: "resource", resource: { uri: "file:///chart", blob: "AAAA" } };

it("keeps everything except the binary items that were saved", () => {
  const answer = { content: [IMAGE, TEXT, NOTES, BLOB], structuredContent: { points: 3 }, isError: true };
  expect(withoutSaved(answer, true)).toEqual({
    content: [TEXT, NOTES],
    structuredContent: { points: 3 },
    isError: true,
  });
});

it("keeps nothing if the text was saved, and everything if nothing was saved", () => {
  expect(withoutSaved({ content: [TEXT, NOTES] }, true)).toEqual({ content: [] });
  expect(withoutSaved({ content: [IMAGE, TEXT] }, false)).toEqual({ content: [IMAGE, TEXT] });
});
