// The licence texts of the bundled packages.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const LICENCE_FILE = /^(?:licen[cs]e|copying|notice|third[_-]party)/i;
/** Texts for packages that are published without one. Each file states its source in its first lines. */
const KEPT_TEXTS = join(import.meta.dirname, "licences");
const SEPARATOR = `\n\n${"-".repeat(72)}\n\n`;

/** One text for all packages; one without `folder` is not installed. Throws an error that names every package without a licence text. */
export function licenceTexts(packages, keptTexts = KEPT_TEXTS) {
  const texts = packages.map((each) => ({ ...each, text: licenceText(each, keptTexts) }));
  const missing = texts.filter(({ text }) => text === "").map(({ name, version }) => `${name} ${version}`);
  if (missing.length > 0)
    throw new Error(
      `No licence text found for bundled packages: ${missing.join(", ")}. ` +
        `Add the text of each to scripts/package/licences/, as NAME.txt with "/" written as "__".`,
    );
  const parts = texts.map(({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text}`);
  return `${parts.join(SEPARATOR)}\n`;
}

function licenceText({ folder, name }, keptTexts) {
  const kept = join(keptTexts, `${name.replaceAll("/", "__")}.txt`);
  const shipped = folder === undefined ? [] : licenceFiles(folder);
  const files = existsSync(kept) ? [...shipped, kept] : shipped;
  return files
    .map((file) => readFileSync(file, "utf8").replaceAll("\r\n", "\n").trim())
    .filter((text) => text !== "")
    .join("\n\n");
}

function licenceFiles(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENCE_FILE.test(entry.name))
    .map((entry) => join(folder, entry.name))
    .sort();
}
