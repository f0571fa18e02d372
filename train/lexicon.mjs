// The word lists of the lexical ranker (src/search/lexicon), read as text: they are ours, so they may teach the model too.
import fs from "node:fs";
import path from "node:path";

function strings(file, after) {
  const text = fs.readFileSync(file, "utf8");
  const from = after ? text.indexOf(`${after}: [`) : 0;
  const until = after === "same" ? text.indexOf("concepts: [") : text.length;
  return from < 0 ? [] : [...text.slice(from, until).matchAll(/^\s*"([^"]+)"/gmu)].map((match) => match[1]);
}

const split = (line) => {
  const [left, right] = line.split(":");
  return {
    left: left
      .split(",")
      .map((part) => part.trim())
      .filter(Boolean),
    right: (right ?? "").trim(),
  };
};

export function readLexicon(root) {
  const folder = path.join(root, "src/search/lexicon");
  const file = (name) => path.join(folder, `${name}.ts`);
  const topics = ["code", "everyday", "media", "money", "office", "operations", "science", "verbs", "web"];
  return {
    same: topics.flatMap((name) => strings(file(name), "same")).map((line) => line.split(" ")),
    concepts: [...topics.flatMap((name) => strings(file(name), "concepts")), ...strings(file("products"))].map(split),
    abbreviations: strings(file("abbreviations")).map(split),
    languages: strings(file("languages")).map((line) => {
      const [english, words] = line.split(":");
      return {
        english: english.trim().split(" "),
        words: (words ?? "")
          .trim()
          .split(" ")
          .map((word) => word.replace(/-/gu, " ")),
      };
    }),
  };
}
