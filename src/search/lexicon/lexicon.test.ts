import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toStem } from "../stem.js";
import { relate } from "./lexicon.js";

/** Each relation as `positions:stem`, with `=` for synonyms. */
function describeRelations(query: string): string[] {
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
    ["a phrase with stop words", "how far is it", "0+1:distanc"],
    ["a phrase of three", "please wake me up", "1+2+3:alarm"],
    ["an inflected phrase", "pulled requests", "0+1=pr"],
    ["an abbreviation", "k8s", "0=kubernet"],
    ["the long form of an abbreviation", "databases", "0=db"],
    ["a part of a long form, as a concept", "pr", "0:pull"],
    ["a product", "gmail", "0:email"],
    ["German", "wetter", "0:weather"],
    ["French, without its accents", "meteo", "0:weather"],
    ["a French phrase", "le taux de change", "1+2+3:exchang"],
    ["Russian, inflected", "погоду", "0:weather"],
    ["Korean with a particle", "날씨를", "0:weather"],
    ["Chinese", "天气 气预", "0:weather"],
    ["a Chinese word of three characters, as two pairs", "数据 据库", "0+1:databas"],
  ])("relates %s: %s", (_, query, expected) => {
    expect(describeRelations(query)).toContain(expected);
  });

  it.each([
    ["a concept is not read backwards", "weather", "0:umbrella"],
    ["news is not new", "new", "0=headlin"],
    ["a customer is not custom", "custom", "0=client"],
    ["the words of a phrase do not match if separated", "how very far", "0+2:distanc"],
    ["the words of a phrase do not match in another order", "far how", "0+1:distanc"],
  ])("%s", (_, query, unexpected) => {
    expect(describeRelations(query)).not.toContain(unexpected);
  });

  it("returns the longest phrase first, and the relations of its words too", () => {
    expect(describeRelations("exchange rate").slice(0, 1)).toEqual(["0+1:currenc"]);
    const relations = describeRelations("pull request review");
    expect(relations.indexOf("0+1=pr")).toBeLessThan(relations.indexOf("2=rating"));
    expect(relations).toContain("2=rating");
  });

  it("omits the stems of the words themselves", () => {
    const query = ["exchange", "rates", "deleted", "files"];
    for (const { from, stem } of relate(query)) expect(from.map((at) => toStem(query[at] ?? ""))).not.toContain(stem);
  });

  it("returns nothing for no words and for unknown words", () => {
    expect(relate([])).toEqual([]);
    expect(relate(["xyzzy", "", "'", "constructor", "__proto__"])).toEqual([]);
  });

  it("returns each relation once, and the same in every call", () => {
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
