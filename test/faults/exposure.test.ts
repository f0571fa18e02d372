import { describe } from "vitest";
import { largeBodies } from "./rows/exposure/large-bodies.js";
import { smuggling } from "./rows/exposure/smuggling.js";
import { tokenGuesses } from "./rows/exposure/token-guesses.js";
import { holdRows } from "./support/hold-rows.js";

describe("the HTTP surface, under faults", () => {
  holdRows([
    ["bodies that are too large or have a wrong length are rejected before they are read", largeBodies, 10],
    ["smuggled requests do not run", smuggling, 150],
    ["token guesses are throttled and take constant time", tokenGuesses, 200],
  ]);
});
