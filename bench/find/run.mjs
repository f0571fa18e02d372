// Measures the directory of public servers: `ANYGPT_DATA=… npm run bench:find`. docs/finding-servers.md explains the rows.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { bundleInternals } from "../support/load-internals.mjs";
import { openModel } from "../support/open-model.mjs";
import { ROOT } from "../support/places.mjs";

const FIRST = 3;
const UNANSWERABLE = ["azure-mcp-2025", "metatool", "mcpproxy-golden"];
const folder = mkdtempSync(join(tmpdir(), "bench-find-"));
try {
  const internals = await import(await bundleInternals(folder));
  const { servers } = JSON.parse(gunzipSync(readFileSync(join(ROOT, "directory/servers.json.gz"))).toString());
  const ranker = internals.createServerRanker(servers, openModel(internals));
  judgeRequests(ranker);
  const data = process.env.ANYGPT_DATA;
  if (data === undefined || !existsSync(join(data, "corpus/npm-servers.tools.json"))) {
    console.log("The other rows need ANYGPT_DATA: skipped.");
  } else {
    judgeCorpus(ranker, servers, read(data, "corpus/npm-servers.tools.json"));
    for (const set of UNANSWERABLE) judgeUnanswerable(ranker, set, read(data, `search/${set}.unanswerable.json`));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function read(data, path) {
  return JSON.parse(readFileSync(join(data, path), "utf8"));
}

function judgeRequests(ranker) {
  const requests = JSON.parse(readFileSync(new URL("requests.json", import.meta.url), "utf8"));
  const missed = requests.filter(
    ([query, expected]) => !isAmongFirst(ranker, query, (name) => expected.includes(name)),
  );
  console.log(`everyday requests: ${share(requests.length - missed.length, requests.length)} among the first ${FIRST}`);
  for (const [query] of missed) console.log(`  missed: ${query}`);
}

/** Two kinds of queries for every tool of the measured servers; the directory was not made from these texts. */
function judgeCorpus(ranker, servers, tools) {
  const byKey = new Map(servers.map(({ name }) => [toKey(name), name]));
  const listed = tools.filter(({ server }) => byKey.has(server));
  const missing = [...new Set(tools.map(({ server }) => server))].filter((server) => !byKey.has(server));
  console.log(`servers of the corpus that the directory lacks: ${missing.join(", ") || "none"}; they count as missed`);
  const kinds = {
    "first sentence of the description": ({ description = "" }) => description.split(/(?<=[.!?])\s|\n/)[0],
    "words of the title or name": ({ name, title, annotations }) =>
      (title ?? annotations?.title ?? name).replace(/[_.-]+/g, " ").replace(/([a-z])([A-Z])/g, "$1 $2"),
  };
  for (const [kind, toQuery] of Object.entries(kinds)) {
    const asked = listed.filter((tool) => toQuery(tool) !== "");
    const [right, shown, shownRight] = [new Map(), [], []];
    for (const tool of asked) {
      const found = ranker.search(toQuery(tool), FIRST);
      const isRight = found.some(({ entry }) => entry.name === byKey.get(tool.server));
      const of = right.get(tool.server) ?? { right: 0, all: 0 };
      right.set(tool.server, { right: of.right + (isRight ? 1 : 0), all: of.all + 1 });
      if (found[0]?.isSure) shown.push(tool);
      if (found[0]?.isSure && isRight) shownRight.push(tool);
    }
    const total = [...right.values()].reduce((sum, one) => sum + one.right, 0);
    const perServer = [...right.values()].reduce((sum, one) => sum + one.right / one.all, 0);
    const all = right.size + missing.length;
    console.log(
      `${kind}: ${share(total, asked.length)} of queries, ${percent(perServer / all)} as the mean of ${all} servers`,
    );
    console.log(
      `  sure enough for an agent: ${share(shown.length, asked.length)}, of these right: ${share(shownRight.length, shown.length)}`,
    );
  }
}

function judgeUnanswerable(ranker, set, queries) {
  const found = queries.map((item) => ({ query: item.query ?? item, first: ranker.search(item.query ?? item, 1)[0] }));
  const shown = found.filter(({ first }) => first !== undefined);
  const sure = shown.filter(({ first }) => first.isSure);
  console.log(
    `${set}, unanswerable there: agents are told of a server for ${share(sure.length, queries.length)}; find shows one for ${share(shown.length, queries.length)}`,
  );
  for (const { query, first } of sure)
    console.log(`  ${query.slice(0, 90)} → ${first.entry.name} (${first.tools[0] ?? ""})`);
}

function isAmongFirst(ranker, query, isRight) {
  return ranker.search(query, FIRST).some(({ entry }) => isRight(entry.name));
}

/** The corpus names `@scope/name` `scope-name`, and `@modelcontextprotocol/server-name` `name`. */
function toKey(name) {
  return name
    .replace(/^@modelcontextprotocol\/server-/, "")
    .replace(/^@/, "")
    .replace("/", "-");
}

function share(part, all) {
  return `${part} of ${all} (${percent(all === 0 ? 0 : part / all)})`;
}

function percent(value) {
  return `${(value * 100).toFixed(1)} %`;
}
