import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { distinct } from "../../support/judged-sets.mjs";
import { ROOT } from "../../support/places.mjs";
import { groupByServer, toServerName } from "./catalogs.mjs";

export async function loadRankers(folder) {
  const outfile = join(folder, "rankers.mjs");
  await build({
    absWorkingDir: ROOT,
    entryPoints: ["bench/peers/rankers.ts"],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    alias: { "jsonc-parser": "./node_modules/jsonc-parser/lib/esm/main.js" },
    logLevel: "warning",
  });
  return await import(pathToFileURL(outfile).href);
}

/** Labelled sets with queries of the half `report` whose tools were not used to train the model; a limited number per set, sampled with a fixed seed. */
export async function readSets(dataFolder, { findSets, readEvalSet, takeUnseen, isInHalf }, { names, most }) {
  const sets = [];
  for (const files of await findSets(dataFolder, process.cwd())) {
    if (!names.includes(files.name)) continue;
    const set = takeUnseen(await readEvalSet(files, process.cwd()));
    const reported = set.queries.filter(({ query }) => isInHalf(query, "report"));
    const tools = distinct(set.tools);
    sets.push({
      name: set.name,
      tools,
      toolsByServer: groupByServer(tools),
      queries: draw(reported, most).map((query) => toServed(query)),
    });
  }
  return sets;
}

/** Replaces the server names in ids with the names that the benchmark uses. */
function toServed({ query, relevant }) {
  return { query, relevant: relevant.map((one) => ({ ...one, id: servedId(one.id) })) };
}

export function servedId(id) {
  const colon = id.indexOf(":");
  return `${toServerName(id.slice(0, colon))}:${id.slice(colon + 1)}`;
}

function draw(list, most) {
  const random = createRandom(20_260_728);
  const shuffled = [...list];
  for (let index = shuffled.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [shuffled[index], shuffled[other]] = [shuffled[other], shuffled[index]];
  }
  return shuffled.slice(0, most);
}

/** A linear congruential generator: the same sample in every run. */
function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
