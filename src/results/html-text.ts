import { MAX_LINE_CHARACTERS } from "./line-index.js";
import type { Slices } from "./slices.js";

/** A line of readable text from an HTML page. */
export interface HtmlLine {
  readonly text: string;
  /** Where the line begins in the HTML source. */
  readonly offset: number;
}

const TAGS_PER_SLICE = 500;
/** Longest tag that is examined. Attributes beyond it (inline images, scripts) are ignored. */
const MAX_TAG_CHARACTERS = 4096;
const QUOTE = 34;
const HIDDEN = new Set(["script", "style", "noscript", "svg", "template", "iframe", "canvas"]);
const INLINE = new Set(
  "a abbr b bdi bdo cite code data dfn em font i kbd mark q s samp small span strong sub sup time tt u var wbr img".split(
    " ",
  ),
);
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  copy: "©",
  laquo: "«",
  raquo: "»",
  rsquo: "’",
  lsquo: "‘",
  rdquo: "”",
  ldquo: "“",
  bull: "•",
  middot: "·",
};

/** Whether a text is an HTML page or a large piece of one. */
export function isHtml(text: string): boolean {
  const head = text.slice(0, 3000).trimStart();
  if (/^(?:<\?xml[^>]*>\s*)?<(?:!doctype html|html|head|body)\b/i.test(head)) return true;
  const tags = head.match(/<\/?(?:div|p|span|a|li|ul|td|tr|table|h[1-6]|br|img|section|article|script|style)\b/gi);
  return (tags?.length ?? 0) >= 12;
}

/** Reduces HTML to readable lines: text, headings, links, list items and table rows; no scripts and styles. */
export function* readHtml(source: string): Slices<HtmlLine[]> {
  const lines: HtmlLine[] = [];
  let line = "";
  let offset = 0;
  let prefix = "";
  const links: string[] = [];
  const endLine = (): void => {
    if (line === "") {
      prefix = "";
      return;
    }
    let text = line.replace(/[\s\u00a0]+/g, " ").trim();
    if (text !== "" && text !== "|") text = `${prefix}${text}`;
    else text = "";
    for (let from = 0; from < text.length; ) {
      const to = endOfPiece(text, from, text.length);
      lines.push({ text: text.slice(from, to), offset });
      from = to;
    }
    line = "";
    prefix = "";
  };
  const write = (text: string, at: number): void => {
    if (line === "") offset = at;
    line += text;
    if (line.length > MAX_LINE_CHARACTERS) endLine();
  };

  let count = 0;
  for (let at = 0; at < source.length; ) {
    count += 1;
    if (count % TAGS_PER_SLICE === 0) yield;
    const open = source.indexOf("<", at);
    const end = open === -1 ? source.length : open;
    for (let to = at; at < end; at = to) {
      to = endOfPiece(source, at, end);
      if (to < end) yield;
      write(decodeEntities(source.slice(at, to)), at);
    }
    if (open === -1) break;
    if (!/[a-z!?/]/i.test(source.charAt(open + 1))) {
      // A "<" that starts no tag is text.
      write("<", open);
      at = open + 1;
      continue;
    }
    if (source.startsWith("<!--", open)) {
      at = after(source, "-->", open);
      continue;
    }
    const close = endOfTag(source, open);
    const tag = source.slice(open + 1, Math.min(close, open + MAX_TAG_CHARACTERS));
    at = close + 1;
    const isEnd = tag.startsWith("/");
    const name = nameOf(tag, isEnd ? 1 : 0);
    if (HIDDEN.has(name) && !isEnd && !tag.endsWith("/")) {
      at = after(source, ">", yield* indexOfEnd(source, name, at));
      continue;
    }
    if (name === "a") {
      if (isEnd) {
        const href = links.pop();
        if (href !== undefined && href !== "") write(`](${href})`, open);
      } else {
        const href = attribute(tag, "href");
        const isUseful = href !== "" && !/^(?:#|javascript:)/i.test(href);
        links.push(isUseful ? href : "");
        if (isUseful) write("[", open);
      }
    } else if (name === "img") {
      const alt = attribute(tag, "alt");
      if (alt !== "") write(`![${alt}]`, open);
    } else if (name === "meta" && /name=["']?description/i.test(tag)) {
      endLine();
      write(attribute(tag, "content"), open);
      endLine();
    } else if (name === "td" || name === "th") {
      if (!isEnd && line.trim() !== "") write(" | ", open);
    } else if (!INLINE.has(name)) {
      endLine();
      if (!isEnd && /^h[1-6]$/.test(name)) prefix = `${"#".repeat(Number(name[1]))} `;
      else if (!isEnd && name === "title") prefix = "# ";
      else if (!isEnd && name === "li") prefix = "- ";
    }
  }
  endLine();
  return lines;
}

/** A piece of at most one line, which ends after a space if it has one, and never inside a surrogate pair. */
function endOfPiece(text: string, from: number, end: number): number {
  const to = from + MAX_LINE_CHARACTERS;
  if (to >= end) return end;
  const space = text.slice(from, to).lastIndexOf(" ") + 1;
  if (space > 0) return from + space;
  return (text.charCodeAt(to - 1) & 0xfc00) === 0xd800 ? to - 1 : to;
}

function after(text: string, part: string, from: number): number {
  const found = text.indexOf(part, from);
  return found === -1 ? text.length : found + part.length;
}

function nameOf(tag: string, from: number): string {
  let end = from;
  while (/[a-z0-9]/i.test(tag.charAt(end))) end += 1;
  return tag.slice(from, end).toLowerCase();
}

/** The end tag of an element without nested elements, in any letter case. */
function* indexOfEnd(source: string, name: string, from: number): Slices<number> {
  let count = 0;
  for (let at = source.indexOf("</", from); at !== -1; at = source.indexOf("</", at + 2)) {
    count += 1;
    if (count % TAGS_PER_SLICE === 0) yield;
    if (source.slice(at + 2, at + 2 + name.length).toLowerCase() === name) return at;
  }
  return source.length;
}

/** The `>` that ends a tag; those in quoted attributes do not count. */
function endOfTag(source: string, open: number): number {
  const end = source.indexOf(">", open);
  if (end === -1) return source.length;
  let isQuoted = false;
  for (let at = open; at < Math.min(end, open + MAX_TAG_CHARACTERS); at += 1)
    if (source.charCodeAt(at) === QUOTE) isQuoted = !isQuoted;
  if (!isQuoted) return end;
  const quote = source.indexOf('"', end);
  return quote === -1 ? end : after(source, ">", quote) - 1;
}

const ATTRIBUTES = {
  href: /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i,
  alt: /\salt\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i,
  content: /\scontent\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i,
};

function attribute(tag: string, name: keyof typeof ATTRIBUTES): string {
  const found = ATTRIBUTES[name].exec(tag);
  return decodeEntities(found?.[1] ?? found?.[2] ?? found?.[3] ?? "");
}

function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) => {
    if (typeof name === "string") return ENTITIES[name.toLowerCase()] ?? whole;
    const code = typeof decimal === "string" ? Number(decimal) : Number.parseInt(String(hex), 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
