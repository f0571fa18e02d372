// Builds directory/servers.json.gz: `npm run directory -- --cache FOLDER [--minutes 30] [--packages FILE] [--npm URL] [--registry URL] [--out FILE]`.
// The cache folder is outside the repository and lets an interrupted run continue where it stopped. Run it with `nice -n 19`.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { bundleInternals } from "../../bench/support/load-internals.mjs";
import { ROOT } from "../../bench/support/places.mjs";
import { toEntry } from "./compile.mjs";
import { createNpm } from "./npm.mjs";
import { probe } from "./probe.mjs";
import { readReadme } from "./readme.mjs";
import { toolsInReadme, toolsInSource } from "./read-tools.mjs";

const READERS = 6;
const PROBES = 2;
const BATCH = 12;
const INSTALL_LIMIT_MS = 240_000;
const MAX_REGISTRY_PAGES = 200;
const MAX_BYTES = 3 * 1024 * 1024;
const MAX_README_LENGTH = 60_000;

const { values } = parseArgs({
  options: {
    cache: { type: "string" },
    minutes: { type: "string", default: "30" },
    packages: { type: "string", default: fileURLToPath(new URL("packages.txt", import.meta.url)) },
    npm: { type: "string" },
    registry: { type: "string" },
    out: { type: "string", default: join(ROOT, "directory/servers.json.gz") },
  },
});
if (values.cache === undefined)
  throw new Error("--cache FOLDER is required. The folder must be outside the repository.");
const cache = values.cache;
const npm = createNpm(cache, values.npm);
const names = readFileSync(values.packages, "utf8")
  .split("\n")
  .filter((name) => name !== "");

await forEachConcurrently(names, READERS, readPackage);
await probeAll(Date.now() + Number(values.minutes) * 60_000);
await write();

/** Reads the manifest, the README and the tools that the source declares. */
async function readPackage(name) {
  if (existsSync(cacheFile("static", name))) return;
  const facts = await npm.view(name);
  if (facts === undefined) return save("static", name, null);
  const files = await npm.unpack(facts);
  const textOf = (pattern) => [...files].find(([path]) => pattern.test(path))?.[1] ?? "";
  const readme = textOf(/^readme/i);
  save("static", name, {
    facts,
    license: textOf(/^licen[cs]e/i).slice(0, 400),
    readme: readme.slice(0, MAX_README_LENGTH),
    ...readReadme(readme, name),
    inSource: toolsInSource(files),
    inReadme: toolsInReadme(readme),
  });
}

/** Servers with the fewest known tools come first: those that are not started within the time keep the tools of their source or README. */
async function probeAll(until) {
  const open = names.filter((name) => load("static", name)?.facts.bin && !existsSync(cacheFile("live", name)));
  const known = new Map(open.map((name) => [name, load("static", name).inSource.length]));
  const ordered = open.toSorted((a, b) => known.get(a) - known.get(b));
  for (let at = 0; at < ordered.length && Date.now() < until; at += BATCH)
    await probeBatch(ordered.slice(at, at + BATCH));
}

/** One installation for several packages: most of their dependencies are the same. */
async function probeBatch(batch) {
  const folder = mkdtempSync(join(cache, "install-"));
  try {
    const specs = batch.map((name) => `${name}@${load("static", name).facts.version}`);
    if (await npm.install(specs, folder, INSTALL_LIMIT_MS)) {
      await forEachConcurrently(batch, PROBES, async (name) => {
        const { args, variables } = load("static", name);
        save("live", name, await probe(folder, { name, args, variables }));
      });
    } else if (batch.length > 1) {
      const half = Math.ceil(batch.length / 2);
      await probeBatch(batch.slice(0, half));
      await probeBatch(batch.slice(half));
    } else save("live", batch[0], { failure: "The package could not be installed.", demanded: [] });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function write() {
  const folder = mkdtempSync(join(tmpdir(), "directory-"));
  try {
    const { DIRECTORY_VERSION, directoryFile, toContentWords, createRegistryClient } = await import(
      await bundleInternals(folder)
    );
    const known = names
      .map((name) => ({ ...load("static", name), live: load("live", name) }))
      .filter(({ facts }) => facts !== undefined && facts.deprecated === undefined)
      .map((record) => toEntry(record, toContentWords));
    const servers = new Map(known.map((entry) => [entry.name, entry]));
    if (values.registry !== undefined) {
      for await (const entry of createRegistryClient(values.registry, process.env).list(MAX_REGISTRY_PAGES))
        addListed(servers, entry);
    }
    const made = new Date().toISOString().slice(0, 10);
    const sorted = [...servers.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    const text = JSON.stringify(directoryFile.parse({ version: DIRECTORY_VERSION, made, servers: sorted }));
    const bytes = gzipSync(text, { level: 9 });
    if (bytes.length > MAX_BYTES) throw new Error(`The directory has ${bytes.length} bytes; ${MAX_BYTES} are allowed.`);
    mkdirSync(join(values.out, ".."), { recursive: true });
    writeFileSync(values.out, bytes);
    const tools = sorted.reduce((sum, entry) => sum + entry.tools.length, 0);
    console.log(`${sorted.length} servers with ${tools} tools in ${bytes.length} bytes: ${values.out}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Declarations of the publisher in the registry take precedence over values that were derived from the README. */
function addListed(servers, entry) {
  const known = entry.package?.registry === "npm" ? servers.get(entry.package.identifier) : undefined;
  if (known === undefined) servers.set(entry.name, entry);
  else servers.set(known.name, { ...known, registryName: entry.name, ...declared(entry) });
}

function declared({ title, variables, arguments: given }) {
  return {
    ...(title === undefined ? {} : { title }),
    ...(variables.length > 0 ? { variables } : {}),
    ...(given.length > 0 ? { arguments: given } : {}),
  };
}

function cacheFile(kind, name) {
  return join(cache, kind, `${encodeURIComponent(name)}.json`);
}

function load(kind, name) {
  const file = cacheFile(kind, name);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) ?? undefined) : undefined;
}

function save(kind, name, value) {
  mkdirSync(join(cache, kind), { recursive: true });
  writeFileSync(cacheFile(kind, name), JSON.stringify(value));
}

/** A package that cannot be read does not stop the run. */
async function forEachConcurrently(items, width, work) {
  const queue = [...items];
  const next = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      await work(item).catch((error) => console.error(`${item}: ${error.message}`));
    }
  };
  await Promise.all(Array.from({ length: width }, next));
}
