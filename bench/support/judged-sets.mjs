import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleInternals } from "./load-internals.mjs";
import { openModel } from "./open-model.mjs";

/** Exits with code 0 if there is no data folder. */
export function requireData() {
  const folder = process.env.ANYGPT_DATA;
  if (folder !== undefined && folder !== "") return folder;
  console.log("No labelled sets found. Set ANYGPT_DATA to the folder that contains them.");
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

/** Every labelled set with the queries whose tools were not used to train the model. */
export async function readJudgedSets(folder, { findSets, readEvalSet, takeUnseen }) {
  const sets = [];
  for (const files of await findSets(folder, process.cwd())) {
    const set = takeUnseen(await readEvalSet(files, process.cwd()));
    sets.push({ ...set, unanswerable: set.unanswerable ?? [], tools: distinct(set.tools) });
  }
  return sets;
}

/** Keeps the first of several tools with the same id, as a catalog does. */
export function distinct(tools) {
  return [...new Map(tools.toReversed().map((tool) => [idOf(tool), tool])).values()].toReversed();
}

const idOf = ({ server, definition }) => `${server}:${definition.name}`;

/** The search fields of a tool, computed by the gateway's code. */
export function toDocument({ server, definition, tags }, { toSearchDocument }) {
  const tool = { id: idOf({ server, definition }), server, name: definition.name, definition, tags };
  return toSearchDocument(tool, undefined);
}

/** Takes items at even distances from the whole list, so that every part of a set is represented. */
export function takeAtMost(list, most) {
  const step = Math.max(1, Math.ceil(list.length / most));
  return list.filter((_, index) => index % step === 0);
}

/** The bundled model with a cache of text and document vectors, because the same texts are ranked again with other constants. */
export function openRememberingMeaning({ createTableMemory, openMeaning }) {
  const meaning = openModel({ createTableMemory, openMeaning });
  const queries = new Map();
  const tools = new WeakMap();
  return {
    dims: meaning.dims,
    readQuery: (query) => remembered(queries, query, meaning.readQuery),
    readTool: (document) => remembered(tools, document, meaning.readTool),
    comparePieces: meaning.comparePieces,
  };
}

function remembered(known, key, read) {
  if (!known.has(key)) known.set(key, read(key));
  return known.get(key);
}
