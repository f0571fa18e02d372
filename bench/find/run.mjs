// Measures the directory of public servers: `ANYGPT_DATA=… npm run bench:find`. docs/reports/directory.md explains the rows.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { bundleInternals } from "../support/load-internals.mjs";
import { openModel } from "../support/open-model.mjs";
import { ROOT } from "../support/places.mjs";
import { fitRanking, fitVerdict } from "./fit.mjs";
import { judgeGate } from "./gate.mjs";
import {
  areEquivalent,
  everydayRequests,
  isInFirstHalf,
  otherRequests,
  readTools,
  toolQueries,
  UNANSWERABLE,
  WRITTEN_FOR,
} from "./queries.mjs";

const FIRST = 3;
const SETS = ["sentences", "names"];
const folder = mkdtempSync(join(tmpdir(), "bench-find-"));
const internals = await import(await bundleInternals(folder)).finally(() => rmSync(folder, { recursive: true }));
const { createServerRanker, toScore, toConfidence, toServiceName } = internals;
const SHIPPED = {
  ranking: internals.RANK_WEIGHTS,
  verdict: { weights: internals.FIT_WEIGHTS, threshold: internals.SURE_CONFIDENCE },
};
const file = join(ROOT, "directory/servers.json.gz");
const { servers } = JSON.parse(gunzipSync(readFileSync(file)).toString());
const byName = new Map(servers.map((entry) => [entry.name, entry]));
const meaning = openModel(internals);
const ranker = createServerRanker(servers, meaning);
const areEqual = (name, entry) => byName.has(name) && areEquivalent(byName.get(name), entry, toServiceName);

const everyday = everydayRequests().map((request) => weigh(request));
judgeEveryday(everyday);
const data = process.env.ANYGPT_DATA;
if (data === undefined || !existsSync(join(data, "corpus/npm-servers.tools.json"))) {
  console.log("The other rows need ANYGPT_DATA: skipped.");
} else {
  const queries = toolQueries(data, servers);
  const weighed = queries.map((request) => weigh(request));
  const smallerRanker = createServerRanker(
    servers.filter(({ name }) => name !== WRITTEN_FOR),
    meaning,
  );
  const others = otherRequests(data).map((request) => weigh(request, smallerRanker));
  judgeRanking(weighed);
  judgeVerdict(weighed, others);
  showSuggested(others);
  const parts = { tools: readTools(data), queries, others, ranker, smallerRanker, internals, meaning, areEqual };
  showGate("5 other servers", judgeGate({ ...parts, maxServers: 5 }));
  showGate("all other servers", judgeGate(parts));
}

function showGate(local, gate) {
  console.log(
    `end to end with ${local}: local search finds nothing for ${share(gate.nothing, gate.queries)} of sampled queries;`,
  );
  console.log(
    `  of these a line is shown for ${share(gate.shown, gate.nothing)}; it names the right server for ${share(gate.right, gate.shown)}, the right one or an equivalent for ${share(gate.equal, gate.shown)}; other catalogs' requests with a line: ${share(gate.othersShown, gate.others)}`,
  );
}

function weigh(request, by = ranker) {
  return { ...request, candidates: by.weigh(request.query) };
}

function firstOf({ candidates }, weights) {
  return candidates
    .map((evidence) => ({ evidence, score: toScore(evidence, weights) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, FIRST)
    .map(({ evidence }) => evidence);
}

function isRight({ wanted }, found) {
  return found.some(({ entry }) => wanted.includes(entry.name));
}

function judgeEveryday(requests) {
  const missed = requests.filter((request) => !isRight(request, firstOf(request, SHIPPED.ranking)));
  const sure = requests.filter((request) => sureOf(request, SHIPPED.verdict).length > 0);
  console.log(`everyday requests: ${share(requests.length - missed.length, requests.length)} among the first ${FIRST}`);
  console.log(`  with a confident suggestion: ${share(sure.length, requests.length)}`);
  for (const request of missed)
    console.log(`  missed: ${request.query} → ${nameAll(firstOf(request, SHIPPED.ranking))}`);
}

/** The share of queries whose right server is among the first three: over all queries, and as the mean over servers. */
function rate(rows, weights, accepts = isRight) {
  const right = new Map();
  for (const row of rows) {
    const of = right.get(row.server) ?? [0, 0];
    right.set(row.server, [of[0] + (accepts(row, firstOf(row, weights)) ? 1 : 0), of[1] + 1]);
  }
  const all = [...right.values()];
  const total = all.reduce((sum, [part]) => sum + part, 0);
  return { queries: total / rows.length, servers: all.reduce((sum, [part, of]) => sum + part / of, 0) / all.length };
}

function judge(rows, weights) {
  return SETS.reduce((sum, set) => {
    const { queries, servers: mean } = rate(
      rows.filter((row) => row.set === set),
      weights,
    );
    return sum + queries + mean;
  }, 0);
}

function judgeRanking(weighed) {
  const halves = [true, false].map((first) => weighed.filter(({ server }) => isInFirstHalf(server) === first));
  const fitted = halves.map((half) => fitRanking(half, judge));
  console.log(
    `ranking weights: shipped ${JSON.stringify(SHIPPED.ranking)}, of all servers ${JSON.stringify(fitRanking(weighed, judge))}`,
  );
  const withEqual = (row, found) =>
    isRight(row, found) || found.some(({ entry }) => row.wanted[0] !== undefined && areEqual(row.wanted[0], entry));
  for (const set of SETS) {
    const of = (rows) => rows.filter((row) => row.set === set);
    console.log(
      `${set}: ${rates(rate(of(weighed), SHIPPED.ranking))}; ${rates(rate(of(weighed), SHIPPED.ranking, withEqual))} with equivalents`,
    );
    for (const [at, weights] of fitted.entries()) {
      console.log(
        `  half ${2 - at} with weights of half ${at + 1} ${JSON.stringify(weights)}: ${rates(rate(of(halves[1 - at]), weights))}`,
      );
    }
  }
}

function sureOf(row, { weights, threshold }) {
  return firstOf(row, SHIPPED.ranking).filter((evidence) => toConfidence(evidence, weights) >= threshold);
}

function judgeVerdict(weighed, others) {
  const of = (sets) => others.filter(({ set }) => sets.includes(set));
  const rightOnes = (rows) =>
    rows.flatMap((row) => firstOf(row, SHIPPED.ranking).filter(({ entry }) => row.wanted.includes(entry.name)));
  const wrongOnes = (rows) => rows.flatMap((row) => firstOf(row, SHIPPED.ranking).slice(0, 1));
  const fit = (rows, sets) => fitVerdict(rightOnes(rows), wrongOnes(of(sets)), toConfidence);
  const half = (first) => weighed.filter(({ server }) => isInFirstHalf(server) === first);
  console.log(`verdict: shipped ${JSON.stringify(SHIPPED.verdict)}`);
  console.log(`  of all data ${JSON.stringify(fit(weighed, UNANSWERABLE))}`);
  for (const left of UNANSWERABLE) {
    const verdict = fit(
      half(true),
      UNANSWERABLE.filter((set) => set !== left),
    );
    const rows = half(false);
    const shown = rows.filter((row) => sureOf(row, verdict).length > 0);
    const right = shown.filter((row) => isRight(row, sureOf(row, verdict)));
    const confident = (sets) => of(sets).filter((row) => sureOf(row, verdict).length > 0).length;
    console.log(
      `  without ${left} and half of the servers: sure for ${share(confident([left]), of([left]).length)} of ${left}, ${share(confident(["bfcl", "toolalpaca"]), of(["bfcl", "toolalpaca"]).length)} of unrelated catalogs; of the other half's queries ${share(shown.length, rows.length)}, right ${share(right.length, shown.length)}`,
    );
  }
}

/** Prints all confident suggestions for requests of other catalogs with the shipped weights, for manual review. */
function showSuggested(others) {
  for (const set of new Set(others.map((row) => row.set))) {
    const rows = others.filter((row) => row.set === set);
    const sure = rows.filter((row) => sureOf(row, SHIPPED.verdict).length > 0);
    console.log(`${set}: confident suggestions for ${share(sure.length, rows.length)}`);
    for (const row of sure) console.log(`  ${row.query.slice(0, 90)} → ${nameAll(sureOf(row, SHIPPED.verdict))}`);
  }
}

function nameAll(found) {
  return found.map(({ entry }) => entry.name).join(", ");
}

function rates({ queries, servers: mean }) {
  return `${percent(queries)} of queries, ${percent(mean)} as the mean over servers`;
}

function share(part, all) {
  return `${part} of ${all} (${percent(all === 0 ? 0 : part / all)})`;
}

function percent(value) {
  return `${(value * 100).toFixed(1)} %`;
}
