// When the tools of sixteen servers become known, with an empty home folder and an empty npm cache. Give two builds to
// compare them: `node bench/cold/many.mjs . ../earlier-checkout`. Needs the package registry.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const PACKAGES = [
  "@modelcontextprotocol/server-everything",
  "@modelcontextprotocol/server-filesystem",
  "@modelcontextprotocol/server-memory",
  "@modelcontextprotocol/server-sequential-thinking",
  "@upstash/context7-mcp",
  "@playwright/mcp",
  "firecrawl-mcp",
  "tavily-mcp",
  "@notionhq/notion-mcp-server",
  "exa-mcp-server",
  "chrome-devtools-mcp",
  "@sentry/mcp-server",
  "@stripe/mcp",
  "figma-developer-mcp",
  "@browsermcp/mcp",
  "mcp-server-kubernetes",
];
/** Some servers list their tools only if their key is set. */
const KEYS = { TAVILY_API_KEY: "x", FIRECRAWL_API_KEY: "x", EXA_API_KEY: "x", FIGMA_API_KEY: "x" };
const LONGEST_MS = 300_000;

for (const checkout of process.argv.slice(2).length > 0 ? process.argv.slice(2) : ["."]) {
  const seconds = await measure(resolve(checkout));
  const within = (limit) => seconds.filter((second) => second <= limit).length;
  process.stdout.write(
    `${checkout}: known after ${seconds.join(", ")} s; ${within(30)} within 30 s, ${within(60)} within 60 s\n`,
  );
}

async function measure(checkout) {
  const folder = mkdtempSync(join(tmpdir(), "anygpt-many-"));
  process.env.HOME = folder;
  process.env.ANYGPT_HOME = join(folder, "state");
  const { DiscoveryEngine } = await import(pathToFileURL(join(checkout, "dist/index.js")).href);
  const env = { ...registrySettings(), ...KEYS, npm_config_cache: join(folder, "npm-cache") };
  const servers = PACKAGES.map((name, number) => ({
    name: `server-${number}`,
    command: "npx",
    args: ["-y", name, ...(name.endsWith("filesystem") ? [folder] : [])],
    env,
  }));
  const engine = new DiscoveryEngine({ servers });
  const began = performance.now();
  const known = new Map();
  const look = async () => {
    for (const { name, toolCount } of await engine.listServers())
      if (name.startsWith("server-") && toolCount > 0 && !known.has(name))
        known.set(name, Math.round((performance.now() - began) / 1000));
  };
  const timer = setInterval(look, 250);
  await Promise.race([
    engine.ready({ timeoutMs: LONGEST_MS }),
    new Promise((done) => setTimeout(done, LONGEST_MS).unref()),
  ]);
  await look();
  clearInterval(timer);
  await engine.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
  return [...known.values()].sort((a, b) => a - b);
}

/** An npm configuration with the package registry of this machine and nothing else. */
function registrySettings() {
  const names = ["npm_config_registry", "npm_config_cafile", "NODE_EXTRA_CA_CERTS"];
  return Object.fromEntries(names.filter((name) => process.env[name]).map((name) => [name, process.env[name]]));
}
