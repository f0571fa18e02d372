// Runs the console examples of the documentation and writes their output into the pages: `npm run docs:record`.
// The picture in the README is generated from the tutorial. If an output still matches the page, the page is not changed, so that parts written as `…` stay.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { recordingSvg } from "./docs/recording.mjs";
import { createExampleHome, isShown, runExample, stepsOf } from "./docs/examples.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FENCE = /^```(console|sh) run\n([\s\S]*?)^```$/gm;

/** Patterns of text that differs from run to run. */
const VOLATILE = [
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "…"],
  [/\bap_[a-z0-9]{20,}/g, "ap_…"],
  [/\b[0-9a-f]{16,64}\b/g, "…"],
  [/\b(?:[0-9a-f]{4} ){7}[0-9a-f]{4}\b/g, "…"],
  [/anygpt-ed25519 \S+/g, "anygpt-ed25519 …"],
  [/\b[\d.]+ (?:ms|s)\b/g, "…"],
  [/\d+ checkpoints?/g, "… checkpoints"],
  // The duration at the end of a line of the audit log.
  [/^(….*\S +)\d+$/gm, "$1…"],
];

const docs = readdirSync(`${ROOT}docs`, { recursive: true }).map((name) => `docs/${name}`);
for (const path of ["README.md", ...docs].filter((name) => name.endsWith(".md"))) {
  const before = readFileSync(ROOT + path, "utf8");
  if (before.search(FENCE) < 0) continue;
  const after = await record(before);
  if (after !== before) writeFileSync(ROOT + path, after);
  console.log(`${path}: ${after === before ? "unchanged" : "written"}`);
}

const tutorial = readFileSync(`${ROOT}docs/start/tutorial.md`, "utf8");
writeFileSync(`${ROOT}docs/start/recording.svg`, recordingSvg(tutorial));

async function record(page) {
  const home = createExampleHome();
  try {
    let text = "";
    let end = 0;
    for (const found of page.matchAll(FENCE)) {
      const [whole, language, body] = found;
      text += page.slice(end, found.index);
      end = found.index + whole.length;
      text += language === "console" ? `\`\`\`console run\n${await recordSteps(body, home)}\`\`\`` : whole;
      if (language === "sh") await runExample(body, home);
    }
    return text + page.slice(end);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function recordSteps(body, home) {
  const blocks = [];
  for (const { command, shown } of stepsOf(body)) {
    const { output } = await runExample(command, home);
    const printed = isShown(shown, output) ? shown : mask(output.trimEnd());
    blocks.push(printed === "" ? `$ ${command}\n` : `$ ${command}\n${printed}\n`);
  }
  return blocks.join("\n");
}

function mask(output) {
  return VOLATILE.reduce((text, [pattern, mark]) => text.replaceAll(pattern, mark), output).replaceAll(/ +$/gm, "");
}
