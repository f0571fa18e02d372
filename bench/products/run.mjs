// Measures requests that name a product: whether the first hit is a tool of that product, and whether a product that the catalog does not have is noticed. The requests are in `test/relevance/products`.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { distinct, loadInternals, requireData, toDocument } from "../support/judged-sets.mjs";
import { openModel } from "../support/open-model.mjs";
import { ROOT } from "../support/places.mjs";

/** The goals, as shares. */
const MIN_RIGHT = 0.95;
const MIN_NOTICED = 0.9;

const file = join(requireData(), "corpus/npm-servers.tools.json");
if (!existsSync(file)) {
  console.log(`${file} does not exist: skipped.`);
  process.exit(0);
}
const internals = await loadInternals();
const documents = distinct(await internals.readDistractors([file], process.cwd())).map((tool) =>
  toDocument(tool, internals),
);
const serverOf = new Map(documents.map(({ id, server }) => [id, server]));
const index = internals.createSearchIndex(documents, { meaning: openModel(internals) });
const requests = JSON.parse(readFileSync(join(ROOT, "test/relevance/products/requests.json"), "utf8"));
checkServers();
const asked = requests.map(ask);
const present = asked.filter(({ absent }) => absent === undefined);
const absent = asked.filter((one) => one.absent !== undefined);
const measures = [
  measure("the first hit is of the right server", present, MIN_RIGHT),
  measure("an absent product is no good fit", absent, MIN_NOTICED),
];

if (process.argv.includes("--json")) console.log(JSON.stringify({ tools: documents.length, measures }, undefined, 2));
else for (const one of measures) print(one);

/** A renamed server would otherwise look like a miss of the ranking. */
function checkServers() {
  const known = new Set(serverOf.values());
  const unknown = requests.flatMap(wantedOf).filter((server) => !known.has(server));
  if (unknown.length > 0) throw new Error(`The catalog does not have these servers: ${unknown.join(", ")}`);
}

function wantedOf({ server, servers }) {
  return servers ?? (server === undefined ? [] : [server]);
}

function ask(one) {
  const { fit, hits, missing } = index.search(one.request, { limit: 10 });
  const first = hits[0]?.id;
  const isRight = one.absent === undefined ? wantedOf(one).includes(serverOf.get(first)) : fit !== "good";
  return { ...one, fit, first, missing, isRight };
}

function measure(name, of, goal) {
  const misses = of.filter(({ isRight }) => !isRight).map(({ isRight: _isRight, ...miss }) => miss);
  const right = of.length - misses.length;
  return { name, requests: of.length, right, share: right / of.length, goal, misses };
}

function print({ name, requests: all, right, share, goal, misses }) {
  const verdict = share >= goal ? "reached" : "missed";
  console.log(`${name}: ${right} of ${all} (${toPercent(share)}); goal ${toPercent(goal)}: ${verdict}`);
  for (const { request, fit, first, missing } of misses) {
    const named = missing.length > 0 ? `; missing: ${missing.join(", ")}` : "";
    console.log(`  ${request} → ${first ?? "nothing"} (${fit}${named})`);
  }
}

function toPercent(share) {
  return `${(share * 100).toFixed(1)} %`;
}
