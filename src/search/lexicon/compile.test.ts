import { describe, expect, it } from "vitest";
import { sha256 } from "../../util/sha256.js";
import { compileLexicon } from "./compile.js";
import { compiledLexicon } from "./compiled.js";
import { readPhraseTable } from "./phrase-table.js";

const compile = (text: string) => compileLexicon([{ name: "a.txt", text }]);

describe("compileLexicon", () => {
  it("groups roots and stems by the first two letters, without accents", () => {
    expect(compile("# films\n\n[synonyms]\nmovies film\n[translations]\nmovie: películas")).toEqual({
      mo: "movi\t=movi film",
      fi: "film\t=movi film",
      pe: "pelicula\t:movi",
    });
  });

  it("reads an abbreviation in both directions, and a long form of several words as a concept", () => {
    expect(compile("[abbreviations]\npr: pull request\ndb: database")).toEqual({
      pr: "pr\t:pull request",
      pu: "pull request\t=pr",
      db: "db\t=databas",
      da: "databas\t=db",
    });
  });

  it("orders the meanings of a phrase by section, then by file", () => {
    const files = [
      { name: "a.txt", text: "[concepts]\nfilm: video" },
      { name: "b.txt", text: "[concepts]\nfilm: cinema\n[synonyms]\nfilm movie" },
    ];
    expect(compileLexicon(files)["fi"]).toBe("film\t=film movi\t:video\t:cinema");
  });

  it.each([
    ["a line before the first section", "film movie", "1: The line is before the first section ("],
    ["an unknown section", "[synonym]\nfilm movie", "1: Unknown section [synonym]. The sections are [synonyms],"],
    ["a capital letter", "[synonyms]\nFilm movie", '2: "Film movie" may contain only the letters a to z'],
    ["an accent in English", "[concepts]\ncafé: coffee", '2: "café" may contain only the letters a to z'],
    ["two spaces", "[synonyms]\nfilm  movie", "2: Separate words with one space"],
    ["a carriage return", "[synonyms]\nfilm movie\r\n", "2: Separate words with one space"],
    [
      "a decomposed letter",
      "[translations]\nweather: me\u0301te\u0301o",
      "2: The line is not in Unicode normalization",
    ],
    ["a single synonym", "[synonyms]\nfilm", "2: A line of synonyms needs two or more words."],
    ["synonyms of one stem", "[synonyms]\nmovie film movies", '2: "movies" has the same stem as another word'],
    ["a stop word among synonyms", "[synonyms]\nfilm the", '2: "the" is a stop word'],
    ["an abbreviation without a colon", "[abbreviations]\npr", '2: An abbreviation has the form "short: long form".'],
    ["a short form of two words", "[abbreviations]\np r: pull", '2: "p r" has more than one word'],
    ["a long form of five words", "[abbreviations]\nx: b c d e f", '2: "b c d e f" has more than 4 words.'],
    ["a long form of stop words", "[abbreviations]\nx: of the", '2: "of the" has only stop words'],
    ["a concept with two colons", "[concepts]\nfilm: movie: video", "2: A concept has the form"],
    ["a phrase of five words", "[concepts]\na b c d e: x", '2: "a b c d e" has more than 4 words.'],
    ["a phrase that is a stop word", "[concepts]\nfilm, the: movie", '2: "the" is a stop word'],
    ["a phrase twice", "[concepts]\nfilm, film: movie", '2: "film" occurs twice in the line.'],
    ["a comma without a space", "[concepts]\nfilm,cinema: movie", '2: "film,cinema" may contain only'],
    ["a target twice", "[concepts]\nfilm: movie movie", '2: "movie" occurs twice in the line.'],
    ["a target that is a stop word", "[translations]\nthe: der", '2: "the" is a stop word'],
    ["a digit in another language", "[translations]\nfilm: film3", '2: "film3" must have only letters'],
    ["a line twice", "[synonyms]\nfilm movie\n\nfilm movie", "4: The line repeats a.txt:2."],
  ])("rejects %s", (_, text, expected) => {
    expect(() => compile(text)).toThrow(`The lexicon has errors.\na.txt:${expected}`);
  });

  it("reports all errors of all files", () => {
    const files = ["a.txt", "b.txt"].map((name) => ({ name, text: "[synonyms]\nfilm\nfilm movie" }));
    expect(() => compileLexicon(files)).toThrow(
      "a.txt:2: A line of synonyms needs two or more words.\nb.txt:2: A line of synonyms needs two or more words.\nb.txt:3: The line repeats a.txt:3.",
    );
  });
});

describe("the lexicon", () => {
  it("compiles to the recorded figures, which change with its files", () => {
    const lexicon = compiledLexicon();
    const tables = Object.values(lexicon).map(readPhraseTable);
    const meanings = tables.flatMap((table) => [...table.meanings.values()]);
    expect({
      tables: tables.length,
      phrases: meanings.length,
      same: meanings.flat().filter(({ kind }) => kind === "same").length,
      concepts: meanings.flat().filter(({ kind }) => kind === "concept").length,
      products: meanings.flat().filter(({ kind }) => kind === "product").length,
      sha256: sha256(JSON.stringify(lexicon)).slice(0, 16),
    }).toEqual({ tables: 1509, phrases: 7944, same: 1923, concepts: 6633, products: 503, sha256: "bd7dc4cbaaaf80a9" });
  });
});
