import { cutAtWord } from "../util/text.js";

/** Converts Markdown to plain text of at most `length` characters, without tags, link targets and empty lines. */
export function toPlainText(markdown: unknown, length: number): string | undefined {
  if (typeof markdown !== "string") return undefined;
  // Read only the start, to bound the time for hostile strings. Removing tags and links rarely shrinks a text by more
  // than this factor.
  const plain = clean(markdown.slice(0, length * 4))
    .replace(/<\/?[a-zA-Z][^<>]{0,400}>/g, "")
    .replace(/!?\[([^[\]]{0,400})\]\([^()\s]{0,1000}\)/g, "$1")
    .replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => ENTITIES[name] ?? " ")
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  return plain === "" ? undefined : cutAtWord(plain, length);
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " " };

/** Like `toPlainText`, but on one line. */
export function toPlainLine(markdown: unknown, length: number): string | undefined {
  const text = toPlainText(markdown, length * 2)?.replace(/\s+/g, " ");
  return text === undefined ? undefined : cutAtWord(text, length);
}

/** Removes control characters and lone surrogates, which JSON or a terminal cannot handle safely. */
export function clean(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\n\t]/gu, "");
}

/** Returns the value if it is a URL that is safe to show as a link. */
export function toWebAddress(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > 2000 || !URL.canParse(value)) return undefined;
  return /^https?:$/.test(new URL(value).protocol) ? value : undefined;
}
