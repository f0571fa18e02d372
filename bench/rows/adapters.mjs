import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { listDocuments, toAdapters } from "../support/documents.mjs";
import { runFork } from "../support/fork.mjs";
import { createHome } from "../support/home.mjs";
import { DISCOVERY, ROOT } from "../support/places.mjs";
import { residentMegabytes } from "../support/processes.mjs";
import { median, spreadOf, sum } from "../support/statistics.mjs";
import { withServer } from "../support/stdio-server.mjs";

const CHILD = join(ROOT, "bench/children/adapters.mjs");
const LOOK_AGAIN_MS = 20;

/** Uses all API documents of the data folder as one catalog. Without the data folder the row measures nothing. */
export const adapters = {
  name: "adapters",
  about: "converting API documents into tools: time, memory, names and schemas; start with and without stored tools",
  seconds: { usual: 130, quick: 35 },
  async run(context) {
    if (!context.data.isReal) {
      console.error("  skipped: ANYGPT_DATA names no folder with API documents");
      return [];
    }
    const documents = listDocuments(context.dataFolder);
    const input = { internals: context.internalsAddress, documents };
    const runs = [];
    for (let round = 0; round < context.rounds(5, 1); round += 1) runs.push(await runFork(CHILD, input));
    return [...toConversion(runs, documents), ...(await measureStarts(context, documents))];
  },
};

function toConversion(runs, documents) {
  const [{ operations, dropped, namesTwice, differing, unsound }] = runs;
  const megabytes = sum(documents.map((one) => one.megabytes));
  const totals = runs.map(({ milliseconds }) => sum(milliseconds));
  const parsing = median(runs.map(() => timeParsing(documents)));
  const each = documents.map(({ adapter, megabytes: size }, index) => {
    const took = median(runs.map(({ milliseconds }) => milliseconds[index]));
    return { took, text: `${adapter} ${size.toFixed(1)} MB ${took.toFixed(0)} ms` };
  });
  const slowest = each.toSorted((a, b) => b.took - a.took).slice(0, 4);
  const count = sum(operations);
  return [
    {
      what: `adapters: ${documents.length} documents into tools`,
      value: median(totals),
      unit: "ms",
      spread: spreadOf(totals),
      baseline: { name: "ms, only parsed", value: parsing },
      ratio: median(totals) / parsing,
      note: `${count} operations, ${dropped} left out; ${slowest.map(({ text }) => text).join(", ")}`,
    },
    {
      what: "adapters: per MB of document",
      value: median(totals) / megabytes,
      unit: "ms",
      spread: spreadOf(totals.map((total) => total / megabytes)),
      baseline: { name: "ms, only parsed", value: parsing / megabytes },
      ratio: median(totals) / parsing,
      note: `${megabytes.toFixed(1)} MB in all`,
    },
    {
      what: "adapters: heap of all tools",
      value: median(runs.map((one) => one.keptMegabytes)),
      unit: "MB",
      spread: spreadOf(runs.map((one) => one.keptMegabytes)),
      baseline: { name: "MB of documents", value: megabytes },
      ratio: median(runs.map((one) => one.keptMegabytes)) / megabytes,
      note: `at most ${median(runs.map((one) => one.peakMegabytes)).toFixed(0)} MB resident while all are converted in one process`,
    },
    faults("names that two tools have", namesTwice, `of ${count}`),
    faults("documents that differ when read again", differing, `of ${documents.length}`),
    faults("input schemas that do not compile", unsound, `of ${count}`),
  ];
}

const faults = (what, value, note) => ({ what: `adapters: ${what}`, value, unit: "", budget: { most: 0 }, note });

/** The baseline: the time to read and parse the documents, which every reader needs. */
function timeParsing(documents) {
  const started = performance.now();
  for (const { file } of documents) {
    const text = readFileSync(file, "utf8");
    if (file.endsWith(".json")) JSON.parse(text);
    else parse(text, { maxAliasCount: -1, uniqueKeys: false });
  }
  return performance.now() - started;
}

/** Time from the start of the process until the gateway reports every tool as known. */
async function measureStarts({ folder, rounds }, documents) {
  const firsts = [];
  const seconds = [];
  const bare = [];
  const resident = { first: [], second: [] };
  for (let round = 0; round < rounds(3, 1); round += 1) {
    const home = createHome(folder, { adapters: toAdapters(documents) });
    bare.push((await startOnce(createHome(folder, { servers: {} }))).milliseconds);
    const first = await startOnce(home);
    firsts.push(first.milliseconds);
    resident.first.push(first.megabytes);
    for (let again = 0; again < rounds(5, 3); again += 1) {
      const second = await startOnce(home);
      seconds.push(second.milliseconds);
      resident.second.push(second.megabytes);
    }
  }
  return [
    {
      what: "adapters: first start until all tools are known",
      value: median(firsts),
      unit: "ms",
      spread: spreadOf(firsts),
      baseline: { name: "ms, without adapters", value: median(bare) },
      ratio: median(firsts) / median(bare),
      note: `${median(resident.first).toFixed(0)} MB resident then`,
    },
    {
      what: "adapters: second start until all tools are known, from the store",
      value: median(seconds),
      unit: "ms",
      spread: spreadOf(seconds),
      baseline: { name: "ms, the first", value: median(firsts) },
      ratio: median(seconds) / median(firsts),
      note: `a start without adapters takes ${median(bare).toFixed(0)} ms of it; ${median(resident.second).toFixed(0)} MB resident then`,
    },
  ];
}

async function startOnce({ config, env }) {
  const started = performance.now();
  return await withServer([DISCOVERY, "--config", config], env, async (server) => {
    while (!isKnown(await server.callText("list_mcp_servers", {})))
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    return { milliseconds: performance.now() - started, megabytes: residentMegabytes(server.pid) };
  });
}

function isKnown(text) {
  const { servers } = JSON.parse(text);
  const failed = servers.find(({ status }) => status === "error");
  if (failed !== undefined) throw new Error(`${failed.name} could not be read: ${failed.reason}`);
  return servers.every(({ toolCount, pending }) => toolCount > 0 && pending === undefined);
}
