import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { syntheticQueries, syntheticTools } from "./synthetic.mjs";

/**
 * @typedef {{ server: string, name: string, description: string, inputSchema: object, tags?: string[] }} FlatTool
 * @typedef {object} Data
 * @property {boolean} isReal
 * @property {() => FlatTool[]} realTools tools as servers list them, annotations included
 * @property {(count: number) => FlatTool[]} manyTools exactly `count` tools, on many servers
 * @property {() => { name: string, tools: FlatTool[], queries: string[] }[]} searchSets catalogs with their queries
 */

/** @returns {Data} */
export function openData(folder) {
  return folder === undefined || folder === "" ? openSyntheticData() : openRealData(folder);
}

/** Exactly `count` tools. If tools have to be repeated, the copies get their own server and tool names. */
function tile(tools, count) {
  const rounds = Math.ceil(count / tools.length);
  return Array.from({ length: rounds }, (_, round) => round)
    .flatMap((round) =>
      round === 0
        ? tools
        : tools.map((tool) => ({ ...tool, server: `${tool.server}-${round}`, name: `${tool.name}_v${round}` })),
    )
    .slice(0, count);
}

function openRealData(folder) {
  const read = (file) => JSON.parse(readFileSync(join(folder, file), "utf8"));
  const realTools = () => read("corpus/npm-servers.tools.json");
  return {
    isReal: true,
    realTools,
    manyTools(count) {
      return tile([...realTools(), ...read("corpus/toucan.tools.json")], count);
    },
    searchSets() {
      const suffix = ".queries.json";
      return readdirSync(join(folder, "search"))
        .filter((file) => file.endsWith(suffix))
        .map((file) => {
          const name = file.slice(0, -suffix.length);
          const queries = read(`search/${file}`).map(({ query }) => query);
          return { name, tools: read(`search/${name}.tools.json`), queries };
        });
    },
  };
}

function openSyntheticData() {
  return {
    isReal: false,
    realTools: () => syntheticTools(3000),
    manyTools: syntheticTools,
    searchSets: () => [{ name: "synthetic", tools: syntheticTools(2000), queries: syntheticQueries(3000) }],
  };
}

/** The tool as its server lists it. */
export function toDefinition({ server: _server, tags: _tags, ...definition }) {
  return definition;
}

/** Distributes the tools as evenly as possible over `count` servers, which are named after the original servers. */
export function spreadOver(tools, count) {
  const origins = [...new Set(tools.map(({ server }) => toServerName(server)))];
  const names = Array.from({ length: count }, (_, index) =>
    index < origins.length ? origins[index] : `${origins[index % origins.length]}-${index}`,
  );
  const servers = new Map(names.map((name) => [name, []]));
  for (const [index, tool] of tools.entries()) servers.get(names[index % count]).push(uniqueIn(tool, index));
  return servers;
}

/** A server name that the configuration allows, short enough for a number to be appended. */
function toServerName(name) {
  return name
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 56);
}

/** Makes names unique, because tools of several original servers can be on one server. */
function uniqueIn(tool, index) {
  return { ...toDefinition(tool), name: `${tool.name}_${index}` };
}
