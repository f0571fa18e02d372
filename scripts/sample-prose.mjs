// Prints random comments, messages and documentation paragraphs for a reader to judge. The same seed on the same commit
// prints the same sample: `node scripts/sample-prose.mjs --seed 1`.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

const HELP = `Usage: node scripts/sample-prose.mjs [options]

  --seed N        seed of the random numbers (default 1)
  --comments N    comments from src, tests excluded (default 60)
  --messages N    string literals of at least four words that end like a sentence, from src (default 30)
  --paragraphs N  paragraphs of at least 15 words from README.md, the other top-level pages and docs, reports excluded (default 20)
`;
const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    comments: { type: "string", default: "60" },
    messages: { type: "string", default: "30" },
    paragraphs: { type: "string", default: "20" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit();
}

const random = mulberry32(Number(values.seed));
const sources = tracked("src/*.ts").filter((file) => !file.endsWith(".test.ts"));
const pages = tracked("*.md", "docs/*.md").filter((file) => !file.startsWith("docs/reports/"));
print("Comments", sources.flatMap(commentsOf), Number(values.comments));
print("Messages", sources.flatMap(messagesOf), Number(values.messages));
print("Paragraphs", [...new Set(pages)].flatMap(paragraphsOf), Number(values.paragraphs));

function tracked(...patterns) {
  return execFileSync("git", ["ls-files", "--", ...patterns], { encoding: "utf8" })
    .split("\n")
    .filter(Boolean);
}

function print(title, all, count) {
  const rest = [...all];
  process.stdout.write(`# ${title}: ${Math.min(count, rest.length)} of ${all.length}\n\n`);
  for (let number = 1; number <= count && rest.length > 0; number += 1) {
    const [{ file, line, text }] = rest.splice(Math.floor(random() * rest.length), 1);
    process.stdout.write(`${title[0]}${number} ${file}:${line}\n${text}\n\n`);
  }
}

/** One entry for each run of comment lines, with the first line of code below it. */
function commentsOf(file) {
  const lines = readFileSync(file, "utf8").split("\n");
  const isComment = (line) => /^\s*(\/\/|\/\*\*?|\*\/|\* |\*$)/.test(line ?? "");
  return lines.flatMap((line, index) => {
    if (!isComment(line) || isComment(lines[index - 1])) return [];
    let end = index;
    while (isComment(lines[end])) end += 1;
    return [{ file, line: index + 1, text: lines.slice(index, end + 1).join("\n") }];
  });
}

function messagesOf(file) {
  const text = readFileSync(file, "utf8").replace(/^\s*(\/\/|\/?\*).*$/gm, "");
  return [...text.matchAll(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g)]
    .filter(([literal]) => /[.?!]["`]$/.test(literal) && literal.split(/\s+/).length >= 4)
    .map((match) => ({ file, line: text.slice(0, match.index).split("\n").length, text: match[0] }));
}

function paragraphsOf(file) {
  const text = readFileSync(file, "utf8").replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, ""));
  let line = 1;
  return text.split(/\n{2,}/).flatMap((paragraph) => {
    const at = line;
    line += paragraph.split("\n").length + 1;
    const isProse = !/^\s*(\||#|<|---)/.test(paragraph) && paragraph.split(/\s+/).length >= 15;
    return isProse ? [{ file, line: at, text: paragraph.trim() }] : [];
  });
}

/** A small random number generator with a seed. */
function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
