import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createTableMemory } from "./add-rows.js";
import { openMeaning } from "./meaning.js";
import { readModel } from "./model.js";
import { createPieceReader } from "./pieces.js";

const root = new URL("../../../", import.meta.url);
const bytes = readFileSync(new URL("model/tools.bin", root));
const table = createTableMemory(bytes.length);
table.file.set(bytes);
const reference: { texts: { text: string; ids: number[]; vector: number[] }[] } = JSON.parse(
  readFileSync(new URL("train/reference.json", root), "utf8"),
);
const readInto = createPieceReader(readModel(table.file).vocabulary);
const room = new Int32Array(256);
const readPieces = (text: string, maxPieces: number): number[] => [
  ...room.subarray(0, readInto(text, maxPieces, room)),
];
const meaning = openMeaning(table);

// The reference model reads texts as they are; this code splits camel-case words of a query first.
const unsplit = reference.texts.filter(({ text }) => !/\p{Ll}\p{Lu}/u.test(text));

describe("the model at run time matches the trained model", () => {
  it.each(reference.texts)("$text in pieces", ({ text, ids }) => {
    expect(readPieces(text, 128)).toEqual(ids);
  });

  it.each(unsplit)("$text as a vector", ({ text, vector }) => {
    const { values, scale } = meaning.readQuery(text);
    for (const [at, value] of vector.entries()) expect((values[at] ?? 0) * scale).toBeCloseTo(value, 2);
  });
});
