import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleInternals } from "./load-internals.mjs";
import { openModel } from "./open-model.mjs";

/** Without a data folder there is nothing to do, and that is no failure. */
export function requireData() {
  const folder = process.env.ANYGPT_DATA;
  if (folder !== undefined && folder !== "") return folder;
  console.log("There is nothing to measure with: name the folder of the labelled sets in ANYGPT_DATA.");
  process.exit(0);
}

export async function loadInternals() {
  const folder = mkdtempSync(join(tmpdir(), "anygpt-bench-"));
  try {
    return await import(await bundleInternals(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Every set with the queries that the model was not taught by. */
export async function readJudgedSets(folder, { findSets, readSet, takeUnseen }) {
  const sets = [];
  for (const files of await findSets(folder, process.cwd())) {
    const set = takeUnseen(await readSet(files, process.cwd()));
    sets.push({ ...set, unanswerable: set.unanswerable ?? [], tools: distinct(set.tools) });
  }
  return sets;
}

/** Of tools with the same id the first counts, as in a catalog. */
export function distinct(tools) {
  return [...new Map(tools.toReversed().map((tool) => [idOf(tool), tool])).values()].toReversed();
}

const idOf = ({ server, definition }) => `${server}:${definition.name}`;

/** What search reads of a tool, in the gateway's own way. */
export function toDocument({ server, definition, tags }, { toSearchDocument }) {
  const tool = { id: idOf({ server, definition }), server, name: definition.name, definition, tags };
  return toSearchDocument(tool, undefined);
}

/** Spread over the whole list, so that no part of a set speaks for all of it. */
export function takeAtMost(list, most) {
  const step = Math.max(1, Math.ceil(list.length / most));
  return list.filter((_, index) => index % step === 0);
}

/** The package's model. What it said of a text or a document is remembered, for those who ask again with other constants. */
export function openRememberingMeaning({ createTableMemory, openMeaning }) {
  const meaning = openModel({ createTableMemory, openMeaning });
  const queries = new Map();
  const tools = new WeakMap();
  return {
    dims: meaning.dims,
    readQuery: (query) => remembered(queries, query, meaning.readQuery),
    readTool: (document) => remembered(tools, document, meaning.readTool),
    compareClosely: meaning.compareClosely,
  };
}

function remembered(known, key, read) {
  if (!known.has(key)) known.set(key, read(key));
  return known.get(key);
}
