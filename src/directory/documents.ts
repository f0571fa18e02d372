import type { SearchDocument } from "../search/fields.js";
import { relate } from "../search/lexicon/lexicon.js";
import type { DirectoryEntry } from "./entry.js";

/** Words that most server names contain. They do not distinguish servers. */
const COMMON_WORDS = /\b(?:mcp|server|servers|modelcontextprotocol|model context protocol|npx|api)\b/giu;

/** The search documents of an entry: one for the server as a whole, and one for each of its tools. */
export function toDocuments(entry: DirectoryEntry): SearchDocument[] {
  const { name, tools } = entry;
  const about = aboutServer(entry);
  const shared = { server: name, parameters: [], tags: [] };
  return [
    { ...shared, id: documentId(name, ""), name: toServiceName(entry), description: about },
    ...tools.map((tool) => ({
      ...shared,
      id: documentId(name, tool.name),
      name: tool.name,
      description: tool.words,
      serverDescription: about,
    })),
  ];
}

/** The searchable text about a server: its description, its keywords and the words from `productWords`. */
export function aboutServer(entry: DirectoryEntry): string {
  return [entry.description, entry.keywords ?? "", ...productWords(entry)].join(" ").trim();
}

/**
 * The stems of the words that the lexicon relates to the product in the server's name. For example, `twilio` gives SMS,
 * call and phone.
 */
export function productWords(entry: DirectoryEntry): string[] {
  const words = toServiceName(entry).toLowerCase().split(" ");
  return [...new Set(relate(words).map(({ stem }) => stem))];
}

/** The product in the name of a server: `@delorenj/mcp-server-trello` is `trello`. */
export function toServiceName({ name, title }: Pick<DirectoryEntry, "name" | "title">): string {
  const bare = name.slice(name.indexOf("/") + 1).replace(/[-_.]+/gu, " ");
  const words = (title ?? bare).replace(COMMON_WORDS, " ").replace(/\s+/gu, " ").trim();
  return words === ""
    ? name
        .replace(/[@/._-]+/gu, " ")
        .replace(COMMON_WORDS, " ")
        .trim()
    : words;
}

const SEPARATOR = ":";

function documentId(server: string, tool: string): string {
  return `${server}${SEPARATOR}${tool}`;
}

export function readDocumentId(id: string): { server: string; tool: string } {
  const at = id.indexOf(SEPARATOR);
  return { server: id.slice(0, at), tool: id.slice(at + 1) };
}
