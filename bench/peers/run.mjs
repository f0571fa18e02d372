// Runs the same work on this gateway and on other gateways from npm (peers): prints one table per theme and writes a JSON report.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { claimReport } from "../../scripts/report-file.mjs";
import { direct } from "./adapters/direct.mjs";
import { mcpBroker } from "./adapters/mcp-broker.mjs";
import { mcpHub } from "./adapters/mcp-hub.mjs";
import { mcpHubMcp } from "./adapters/mcp-hub-mcp.mjs";
import { mcporter } from "./adapters/mcporter.mjs";
import { modularMcp } from "./adapters/modular-mcp.mjs";
import { ours } from "./adapters/ours.mjs";
import { ratel } from "./adapters/ratel.mjs";
import { killAllBelow } from "./support/census.mjs";
import { createInstaller } from "./support/install.mjs";
import { betterThanOurs, toText } from "./support/table.mjs";
import { calls } from "./themes/calls.mjs";
import { fidelity } from "./themes/fidelity.mjs";
import { kills } from "./themes/kills.mjs";
import { search } from "./themes/search.mjs";
import { start } from "./themes/start.mjs";

const THEMES = [start, search, calls, fidelity, kills];
const ADAPTERS = [ours, ratel, mcpBroker, mcpHubMcp, modularMcp, mcporter, mcpHub];
const NAMES = ADAPTERS.map(({ name }) => name);
const MINUTES = (mode) => Math.ceil(THEMES.reduce((total, { seconds }) => total + seconds[mode], 0) / 60);

const HELP = `Usage: npm run bench:peers -- [options]

Runs the same work on this gateway and on other gateways from npm (peers). Peers are installed in pinned
versions into a temporary folder, and each runs with its own home folder. Real tools and queries are read
from the folder in ANYGPT_DATA. Without it, tools are synthetic and search quality is not measured.

  --only THEME    measure only this theme; may be repeated
  --peer NAME     compare only with this peer; may be repeated
  --from FOLDER   install peers into this folder and reuse it, so that later runs need no network
  --report FILE   the JSON file for the report (default bench/peers-report.json)
  --quick         fewer servers, queries and rounds: about ${MINUTES("quick")} min instead of ${MINUTES("usual")}, not counting installation
  --json          print the report instead of tables
  --help          print this help

Themes:
${THEMES.map(({ name, about }) => `  ${name.padEnd(10)}${about}`).join("\n")}

Peers: ${NAMES.slice(1).join(", ")}

Exit code: 0 if every theme was measured, whatever the results; 1 if a theme or an installation failed.`;

const options = readOptions();
if (options.help) console.log(HELP);
// process.exit, because a connection that a peer left half open would keep the process alive.
else process.exit(await main());

function readOptions() {
  const flag = { type: "boolean", default: false };
  const several = { type: "string", multiple: true };
  const text = { type: "string" };
  try {
    const known = { only: several, peer: several, from: text, report: text, quick: flag, json: flag, help: flag };
    const { values } = parseArgs({ options: known });
    requireKnown(
      values.only,
      "theme",
      THEMES.map(({ name }) => name),
    );
    requireKnown(values.peer, "peer", NAMES);
    return values;
  } catch (error) {
    console.error(`${error.message}\n\n${HELP}`);
    process.exit(1);
  }
}

function requireKnown(names, what, known) {
  const unknown = names?.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`No ${what} is named "${unknown}". There are: ${known.join(", ")}.`);
}

function say(text) {
  console.error(`${new Date().toISOString().slice(11, 19)} ${text}`);
}

async function main() {
  const report = claimReport(options.report ?? "bench/peers-report.json");
  const folder = mkdtempSync(join(tmpdir(), "anygpt-peers-"));
  process.on("exit", () => {
    killAllBelow(folder);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));
  const themes = THEMES.filter(({ name }) => options.only?.includes(name) ?? true);
  const mode = options.quick ? "quick" : "usual";
  say(
    `about ${Math.ceil(themes.reduce((total, { seconds }) => total + seconds[mode], 0) / 60)} min on two cores, without installing`,
  );
  const { peers, failed } = await installAll(folder);
  const tables = [];
  const began = performance.now();
  const dataFolder = process.env.ANYGPT_DATA || undefined;
  if (dataFolder === undefined) say("ANYGPT_DATA is not set: tools are synthetic, and search quality is not measured");
  const context = { folder: join(folder, "work"), peers, dataFolder, isQuick: options.quick, say };
  mkdirSync(context.folder);
  for (const theme of themes) {
    const show = (table) => {
      tables.push({ theme: theme.name, ...table });
      if (!options.json) console.log(`\n${toText(table)}`);
    };
    try {
      await theme.run({ ...context, show });
    } catch (error) {
      failed.push({ what: theme.name, reason: error.message });
    }
  }
  finish(report, {
    tables,
    failed,
    peers,
    seconds: (performance.now() - began) / 1000,
    isReal: dataFolder !== undefined,
  });
  return failed.length === 0 ? 0 : 1;
}

async function installAll(folder) {
  const place = options.from === undefined ? join(folder, "installed") : resolve(options.from);
  const install = createInstaller(place, say);
  const peers = [];
  const failed = [];
  const wanted = ADAPTERS.filter((adapter) => adapter === ours || (options.peer?.includes(adapter.name) ?? true));
  for (const adapter of [direct, ...wanted]) {
    try {
      peers.push({ adapter, ...(await install(adapter)) });
    } catch (error) {
      failed.push({ what: adapter.name, reason: error.message });
      say(`${adapter.name} is skipped: ${error.message}`);
    }
  }
  return { peers, failed };
}

function finish(report, { tables, failed, peers, seconds, isReal }) {
  const found = {
    node: process.version,
    platform: process.platform,
    cpus: cpus().length,
    tools: isReal ? "real" : "synthetic",
    isQuick: options.quick,
    seconds: Math.round(seconds),
    peers: peers.map(({ adapter }) => ({ name: adapter.name, version: adapter.version, packages: adapter.packages })),
    tables: tables.map((table) => ({ ...table, betterThanOurs: betterThanOurs(table) })),
    failed,
  };
  report.write(found);
  if (options.json) console.log(JSON.stringify(found, null, 2));
  for (const { what, reason } of failed) console.error(`${what} could not be measured: ${reason}`);
  say(`done in ${Math.round(seconds)} s; the report is ${report.file}`);
}
