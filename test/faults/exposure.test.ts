import { describe } from "vitest";
import { largeBodies } from "./rows/exposure/large-bodies.js";
import { smuggling } from "./rows/exposure/smuggling.js";
import { tokenGuesses } from "./rows/exposure/token-guesses.js";
import { holdRows } from "./support/hold-rows.js";

describe("the HTTP surface, under faults", () => {
  holdRows([
    ["bodies that are too large or lie are refused before they are read", largeBodies, 10],
    ["nothing runs that is hidden in a request", smuggling, 150],
    ["guesses of a token are few, and take the same time", tokenGuesses, 200],
  ]);
});
