// Reads the search lexicon (lexicon/, format in its README) as training data.
import fs from "node:fs";
import path from "node:path";

// The order is fixed, because prepare.mjs must write the same bytes each time.
const TOPICS = ["code", "everyday", "media", "money", "office", "operations", "science", "verbs", "web"];

const split = (line) => {
  const [left, right] = line.split(": ");
  return { left: left.split(", "), right };
};

export function readLexicon(root) {
  const folder = path.join(root, "lexicon");
  const names = fs.readdirSync(folder);
  const lines = (name, section) => {
    const file = names.find((candidate) => candidate.endsWith(`-${name}.txt`));
    const text = fs.readFileSync(path.join(folder, file), "utf8");
    const part = text.split(/^\[/mu).find((candidate) => candidate.startsWith(`${section}]`)) ?? "";
    return part
      .split("\n")
      .slice(1)
      .filter((line) => line !== "" && !line.startsWith("#"));
  };
  return {
    same: TOPICS.flatMap((name) => lines(name, "synonyms")).map((line) => line.split(" ")),
    concepts: [...TOPICS, "products"].flatMap((name) => lines(name, "concepts")).map(split),
    abbreviations: lines("abbreviations", "abbreviations").map(split),
    languages: lines("languages", "translations").map((line) => {
      const [english, words] = line.split(": ");
      return { english: english.split(" "), words: words.split(" ").map((word) => word.replace(/-/gu, " ")) };
    }),
  };
}
