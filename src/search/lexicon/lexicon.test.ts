import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isStopWord } from "../stop-words.js";
import { toStem } from "../stem.js";
import { ABBREVIATIONS } from "./abbreviations.js";
import { LANGUAGES } from "./languages.js";
import { relate } from "./lexicon.js";
import { PRODUCTS } from "./products.js";
import { DOMAINS, readLine } from "./shelves.js";

const same = DOMAINS.flatMap((domain) => domain.same);
const concepts = [...DOMAINS.flatMap((domain) => domain.concepts), ...PRODUCTS];

/** Each as `positions:stem`, with `=` where the words are interchangeable. */
function tell(query: string): string[] {
  return relate(query.split(" ")).map(
    ({ from, stem, kind }) => `${from.join("+")}${kind === "same" ? "=" : ":"}${stem}`,
  );
}

describe("relate", () => {
  it.each([
    ["a synonym, both ways", "erase", "0=delet"],
    ["a synonym, both ways", "delete", "0=eras"],
    ["an inflected word", "movies", "0=film"],
    ["a concept", "an umbrella", "1:weather"],
    ["a phrase with small words in", "how far is it", "0+1:distanc"],
    ["a phrase of three", "please wake me up", "1+2+3:alarm"],
    ["an inflected phrase", "pulled requests", "0+1=pr"],
    ["an abbreviation", "k8s", "0=kubernet"],
    ["a written-out abbreviation", "databases", "0=db"],
    ["a part of a long form, as a concept", "pr", "0:pull"],
    ["a product", "gmail", "0:email"],
    ["German", "wetter", "0:weather"],
    ["French, without its accents", "meteo", "0:weather"],
    ["a French phrase", "le taux de change", "1+2+3:exchang"],
    ["Russian, inflected", "погоду", "0:weather"],
    ["Korean with a particle", "날씨를", "0:weather"],
    ["Chinese", "天气 气预", "0:weather"],
    ["a Chinese word of three characters, as two pairs", "数据 据库", "0+1:databas"],
  ])("knows %s: %s", (_, query, expected) => {
    expect(tell(query)).toContain(expected);
  });

  it.each([
    ["a concept is not read backwards", "weather", "0:umbrella"],
    ["news is not new", "new", "0=headlin"],
    ["a customer is not custom", "custom", "0=client"],
    ["the words of a phrase do not match apart", "how very far", "0+2:distanc"],
    ["the words of a phrase do not match in another order", "far how", "0+1:distanc"],
  ])("%s", (_, query, unexpected) => {
    expect(tell(query)).not.toContain(unexpected);
  });

  it("tells the longest phrase first, and the words' own relations too", () => {
    expect(tell("exchange rate").slice(0, 1)).toEqual(["0+1:currenc"]);
    const told = tell("pull request review");
    expect(told.indexOf("0+1=pr")).toBeLessThan(told.indexOf("2=rating"));
    expect(told).toContain("2=rating");
  });

  it("leaves out the words' own stems", () => {
    const query = ["exchange", "rates", "deleted", "files"];
    for (const { from, stem } of relate(query)) expect(from.map((at) => toStem(query[at] ?? ""))).not.toContain(stem);
  });

  it("says nothing about nothing and about words it does not know", () => {
    expect(relate([])).toEqual([]);
    expect(relate(["xyzzy", "", "'", "constructor", "__proto__"])).toEqual([]);
  });

  it("gives each relation once, the same in every call", () => {
    const word = fc.constantFrom("delete", "how", "far", "pull", "request", "数据", "据库", "wetter", "dollars", "x");
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), (words) => {
        const relations = relate(words);
        const keys = relations.map(({ from, stem }) => `${from.join("+")} ${stem}`);
        expect(new Set(keys).size).toBe(keys.length);
        expect(relate(words)).toEqual(relations);
        for (const { from } of relations) expect(from.every((at) => at >= 0 && at < words.length)).toBe(true);
      }),
    );
  });
});

describe("the lexicon's lines", () => {
  const words = (text: string): string[] => text.split(" ");
  const find = (lines: readonly string[], isWrong: (line: string) => boolean): string[] => lines.filter(isWrong);

  it("come once", () => {
    for (const lines of [same, concepts, ABBREVIATIONS, LANGUAGES]) {
      expect(find(lines, (line) => lines.indexOf(line) !== lines.lastIndexOf(line))).toEqual([]);
    }
  });

  it("are lower-case ASCII with single spaces", () => {
    const isOdd = (line: string): boolean => !/^[a-z0-9]+(?:(?:, |: | )[a-z0-9]+)*$/.test(line);
    expect(find([...same, ...concepts, ...ABBREVIATIONS], isOdd)).toEqual([]);
  });

  it("of interchangeable words name at least two that differ, none of them a small word", () => {
    expect(find(same, (line) => new Set(words(line).map(toStem)).size < words(line).length)).toEqual([]);
    expect(find(same, (line) => words(line).length < 2 || /[:,]/.test(line) || words(line).some(isStopWord))).toEqual(
      [],
    );
  });

  it("of concepts lead from phrases of at most four words to at most four words, none of them a small one", () => {
    const isWrong = (line: string): boolean => {
      const [said, called] = readLine(line).map((side) => side.split(", "));
      if (line.split(": ").length !== 2 || called?.length !== 1) return true;
      if (said?.some((phrase) => words(phrase).length > 4 || isStopWord(phrase))) return true;
      const right = words(called[0] ?? "");
      return right.length > 4 || right.some(isStopWord) || new Set(right).size < right.length;
    };
    expect(find(concepts, isWrong)).toEqual([]);
  });

  it("of concepts do not name a phrase twice", () => {
    expect(
      find(concepts, (line) => {
        const said = readLine(line)[0].split(", ");
        return new Set(said).size < said.length;
      }),
    ).toEqual([]);
  });

  it("of abbreviations have one word on the left and at most four on the right", () => {
    expect(find(ABBREVIATIONS, (line) => !/^[a-z0-9]+: [a-z0-9]+(?: [a-z0-9]+){0,3}$/.test(line))).toEqual([]);
  });

  it("of other languages lead to English tool words", () => {
    expect(
      find(LANGUAGES, (line) => !/^[a-z]+(?: [a-z]+){0,2}:(?: [\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*)+$/u.test(line)),
    ).toEqual([]);
    expect(find(LANGUAGES, (line) => words(readLine(line)[0]).some(isStopWord))).toEqual([]);
  });
});
