// The queries of the benchmark and which servers answer them.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const UNANSWERABLE = ["azure-mcp-2025", "metatool", "mcpproxy-golden"];
/** Most requests of these sets were written for this server, so they are unanswerable only in a directory without it. */
export const WRITTEN_FOR = "@azure/mcp";
const UNRELATED = ["bfcl", "toolalpaca"];
const MAX_UNRELATED = 150;

/** Generic words of server names, which do not identify a product. */
const GENERIC =
  /^(?:mcp|server|servers|api|ai|app|basic|browser|chart|cli|cloud|code|command|data|database|db|design|dev|developer|docs|drive|enhanced|fetch|file|google|image|js|local|manager|maps?|memory|microsoft|apple|remote|search|simple|the|to|tools?|ui|web|website)$/;

/** Two servers are equivalent if their names share a product name: a word of at least two characters that is not generic. */
export function areEquivalent(one, other, toServiceName) {
  const words = (entry) =>
    toServiceName(entry)
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter((word) => word.length > 1 && !GENERIC.test(word));
  const others = new Set(words(other));
  return words(one).some((word) => others.has(word));
}

/** `{ set, query, wanted }` for the requests of bench/find/requests.json. */
export function everydayRequests() {
  const requests = JSON.parse(readFileSync(new URL("requests.json", import.meta.url), "utf8"));
  return requests.map(([query, wanted]) => ({ set: "everyday", query, wanted }));
}

/** Two queries for every tool of the measured servers; the directory was not made from these texts. */
export function toolQueries(data, servers) {
  const byKey = new Map(servers.map(({ name }) => [toKey(name), name]));
  const tools = readTools(data);
  const kinds = {
    sentences: ({ description = "" }) => description.split(/(?<=[.!?])\s|\n/)[0],
    names: ({ name, title, annotations }) =>
      (title ?? annotations?.title ?? name).replace(/[_.-]+/g, " ").replace(/([a-z])([A-Z])/g, "$1 $2"),
  };
  return Object.entries(kinds).flatMap(([set, toQuery]) =>
    tools
      .map((tool) => ({ set, query: toQuery(tool), server: tool.server, wanted: [byKey.get(tool.server)] }))
      .filter(({ query }) => query.trim() !== ""),
  );
}

export function readTools(data) {
  return read(data, "corpus/npm-servers.tools.json");
}

/** Requests that were written for another catalog, not for a server of the directory. */
export function otherRequests(data) {
  const unanswerable = UNANSWERABLE.flatMap((set) =>
    read(data, `search/${set}.unanswerable.json`).map(({ query }) => ({ set, query })),
  );
  const unrelated = UNRELATED.flatMap((set) => {
    const all = read(data, `search/${set}.queries.json`);
    const step = Math.ceil(all.length / MAX_UNRELATED);
    return all.filter((_, index) => index % step === 0).map(({ query }) => ({ set, query }));
  });
  return [...unanswerable, ...unrelated];
}

/** A fixed half of the servers. */
export function isInFirstHalf(name) {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + character.charCodeAt(0)) >>> 0;
  return hash % 2 === 0;
}

/** The corpus names `@scope/name` `scope-name`, and `@modelcontextprotocol/server-name` `name`. */
function toKey(name) {
  return name
    .replace(/^@modelcontextprotocol\/server-/, "")
    .replace(/^@/, "")
    .replace("/", "-");
}

function read(data, path) {
  return JSON.parse(readFileSync(join(data, path), "utf8"));
}
