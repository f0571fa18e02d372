import { describe, expect, it } from "vitest";
import { createPieceReader } from "./pieces.js";

const PIECES = [
  "weather",
  "pull",
  "request",
  "re",
  "##quest",
  "##s",
  "天",
  "気",
  "é",
  "straße",
  "pull request",
  "天 気",
];
const read = createPieceReader(new TextEncoder().encode(PIECES.join("\n")));
const room = new Int32Array(64);

function toPieces(text: string, maxPieces = 20): string[] {
  return [...room.subarray(0, read(text, maxPieces, room))].map((piece) => PIECES[piece] ?? "?");
}

describe("createPieceReader", () => {
  it.each([
    ["a whole word", "Weather", ["weather"]],
    ["the longest piece first", "requests", ["request", "##s"]],
    ["pieces that cannot start a word", "quest s", []],
    ["a word with an unknown part", "weatherman pull", ["pull"]],
    ["phrases after all pieces", "pull request, weather", ["pull", "request", "weather", "pull request"]],
    ["characters of scripts without spaces", "天気", ["天", "気", "天 気"]],
    ["multi-byte characters", "STRASSE Straße", ["straße"]],
    ["a word between symbols", "🌧️…weather!\n", ["weather"]],
    ["an empty text", "", []],
    ["a word that is too long", `${"re".repeat(1)}${"s".repeat(40)} pull`, ["pull"]],
  ])("reads %s", (_, text, pieces) => {
    expect(toPieces(text)).toEqual(pieces);
  });

  it("reads at most the requested number of pieces", () => {
    expect(toPieces("pull request pull request", 3)).toEqual(["pull", "request", "pull", "pull request"]);
    expect(toPieces("requests", 1)).toEqual(["request"]);
  });
});
