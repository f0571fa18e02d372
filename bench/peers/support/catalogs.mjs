import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const CATALOG = fileURLToPath(new URL("../servers/catalog.mjs", import.meta.url));
export const RESULTS_SERVER = fileURLToPath(new URL("../servers/results.mjs", import.meta.url));

/** The folder of all benchmark servers. It contains no gateway, so a path identifies server processes. */
export const isServer = ({ command }) => command.includes(CATALOG) || command.includes(RESULTS_SERVER);

/** One process per server, each with its tools in its own file. `tools` is keyed by server name. */
export function serveCatalog(folder, toolsByServer) {
  mkdirSync(folder, { recursive: true });
  const ledger = join(folder, "ledger");
  writeFileSync(ledger, "");
  const servers = {};
  for (const [name, tools] of toolsByServer) {
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(tools));
    servers[name] = { command: process.execPath, args: [CATALOG, file, name, ledger] };
  }
  return { servers, countStarts: () => readFileSync(ledger, "utf8").split("\n").length - 1 };
}

/** The tool that the first request searches for. It belongs to the last server, so that an answer with it shows that all servers are loaded. */
export function needleOf(server) {
  return {
    server,
    tool: "unlock_garden_gate",
    query: "unlock garden gate",
    definition: {
      name: "unlock_garden_gate",
      description: "Unlock the garden gate.",
      inputSchema: { type: "object", properties: { code: { type: "string" } }, required: ["code"] },
    },
  };
}

/** `count` servers: real ones if there is a data folder, otherwise synthetic ones with five tools each. */
export function manyServers(dataFolder, count) {
  const all = dataFolder === undefined ? syntheticServers(count) : real(dataFolder);
  const chosen = new Map([...all].slice(0, count));
  const last = [...chosen.keys()].at(-1);
  const needle = needleOf(last);
  chosen.set(last, [...chosen.get(last), needle.definition]);
  return { toolsByServer: chosen, needle };
}

function real(dataFolder) {
  const tools = JSON.parse(readFileSync(join(dataFolder, "corpus/npm-servers.tools.json"), "utf8"));
  return groupByServer(tools.map(({ server, tags: _tags, ...definition }) => ({ server, definition })));
}

/** Tools by server name, with names that every gateway allows and no duplicates per server. */
export function groupByServer(tools) {
  const grouped = new Map();
  for (const { server, definition } of tools) {
    const name = toServerName(server);
    const own = grouped.get(name) ?? [];
    if (!own.some((other) => other.name === definition.name)) own.push(definition);
    grouped.set(name, own);
  }
  return grouped;
}

export const toServerName = (name) => name.replace(/[^A-Za-z0-9-]+/g, "-").replace(/^-+|-+$/g, "");

const VERBS = ["create", "read", "update", "remove", "list"];
const NOUNS = [
  "invoice",
  "ticket",
  "recipe",
  "flight",
  "playlist",
  "contract",
  "backup",
  "parcel",
  "survey",
  "meeting",
];

function syntheticServers(count) {
  return new Map(
    Array.from({ length: count }, (_, index) => {
      const noun = NOUNS[index % NOUNS.length];
      const tools = VERBS.map((verb) => ({
        name: `${verb}_${noun}_${index}`,
        description: `Lets you ${verb} a ${noun} of department ${index}.`,
        inputSchema: { type: "object", properties: { id: { type: "string", description: `The ${noun}'s number` } } },
      }));
      return [`${noun}-${index}`, tools];
    }),
  );
}
