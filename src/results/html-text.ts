import type { Slices } from "./slices.js";

/** A line of readable text from an HTML page. */
export interface HtmlLine {
  readonly text: string;
  /** Where the line begins in the HTML source. */
  readonly offset: number;
}

const TAGS_PER_SLICE = 1500;
/** Longest tag that is examined. Attributes beyond it (inline images, scripts) are ignored. */
const MAX_TAG_CHARACTERS = 4096;
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
  const head = text.slice(0, 3000);
  if (/^\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype html|html|head|body)\b/i.test(head)) return true;
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
    const text = line.replace(/[\s\u00a0]+/g, " ").trim();
    if (text !== "" && text !== "|") lines.push({ text: `${prefix}${text}`, offset });
    line = "";
    prefix = "";
  };
  const write = (text: string, at: number): void => {
    if (line === "") offset = at;
    line += text;
  };

  let count = 0;
  for (let at = 0; at < source.length; ) {
    count += 1;
    if (count % TAGS_PER_SLICE === 0) yield;
    const open = source.indexOf("<", at);
    const end = open === -1 ? source.length : open;
    if (end > at) write(decodeEntities(source.slice(at, end)), at);
    if (open === -1) break;
    if (source.startsWith("<!--", open)) {
      at = after(source, "-->", open);
      continue;
    }
    const close = endOfTag(source, open);
    const tag = source.slice(open + 1, Math.min(close, open + MAX_TAG_CHARACTERS));
    at = close + 1;
    const name = /^\/?([a-zA-Z][a-zA-Z0-9]*)/.exec(tag)?.[1]?.toLowerCase();
    if (name === undefined) {
      // A "<" that starts no tag is text.
      if (!/^[!?/]/.test(tag)) {
        write("<", open);
        at = open + 1;
      }
      continue;
    }
    const isEnd = tag.startsWith("/");
    if (HIDDEN.has(name) && !isEnd && !tag.endsWith("/")) {
      at = after(source, ">", indexOfEnd(source, name, at));
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

function after(text: string, part: string, from: number): number {
  const found = text.indexOf(part, from);
  return found === -1 ? text.length : found + part.length;
}

/** The end tag of an element without nested elements, in any letter case. */
function indexOfEnd(source: string, name: string, from: number): number {
  for (let at = source.indexOf("</", from); at !== -1; at = source.indexOf("</", at + 2)) {
    if (source.slice(at + 2, at + 2 + name.length).toLowerCase() === name) return at;
  }
  return source.length;
}

/** The `>` that ends a tag; those in quoted attributes do not count. */
function endOfTag(source: string, open: number): number {
  const end = source.indexOf(">", open);
  if (end === -1) return source.length;
  const quoted = source.slice(open, Math.min(end, open + MAX_TAG_CHARACTERS)).split('"').length % 2 === 0;
  if (!quoted) return end;
  const quote = source.indexOf('"', end);
  return quote === -1 ? end : after(source, ">", quote) - 1;
}

function attribute(tag: string, name: string): string {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, "i").exec(tag);
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
