import type { SearchDocument } from "../search/fields.js";
import type { DirectoryEntry } from "./entry.js";

/** Words that every server's name has, so that they tell none from another. */
const OF_ALL_NAMES = /\b(?:mcp|server|servers|modelcontextprotocol|model context protocol|npx|api)\b/giu;

/** One document for the server as a whole, and one for each of its tools. */
export function toDocuments(entry: DirectoryEntry): SearchDocument[] {
  const { name, description, keywords = "", tools } = entry;
  const about = `${description} ${keywords}`.trim();
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

/** What the server is for, as far as its name says it: `@delorenj/mcp-server-trello` is `trello`. */
export function toServiceName({ name, title }: Pick<DirectoryEntry, "name" | "title">): string {
  const bare = name.slice(name.indexOf("/") + 1).replace(/[-_.]+/gu, " ");
  const words = (title ?? bare).replace(OF_ALL_NAMES, " ").replace(/\s+/gu, " ").trim();
  return words === ""
    ? name
        .replace(/[@/._-]+/gu, " ")
        .replace(OF_ALL_NAMES, " ")
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
