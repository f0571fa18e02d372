// Runs every server scenario of a revision against the test server itself and through the gateway.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGateway, startTestServer, testServerCommand } from "./children.mjs";
import { readResults } from "./results.mjs";

/** The legacy legs run only this revision, because a server with sessions cannot send several named requests to the client at once. */
const WITH_SESSIONS = ["2025-11-25"];

/** The ways in which the suite reaches the test server. `revisions` is set if a leg does not support all revisions. */
export const SERVER_LEGS = [
  { name: "direct", open: () => startTestServer("both") },
  { name: "stdio", open: (options) => startGateway(testServerCommand("both"), options) },
  { name: "http", open: (options) => throughHttp("both", options) },
  {
    name: "legacy stdio",
    revisions: WITH_SESSIONS,
    open: (options) => startGateway(testServerCommand("legacy"), options),
  },
  { name: "legacy http", revisions: WITH_SESSIONS, open: (options) => throughHttp("legacy", options) },
];

async function throughHttp(era, options) {
  const server = await startTestServer(era);
  const gateway = await startGateway({ url: server.url }, options);
  const stop = async () => {
    await gateway.stop();
    await server.stop();
  };
  return { url: gateway.url, stop };
}

/** Results by revision and scenario. */
export async function runServerLeg(leg, revisions, { suite, only, ...options }) {
  const { url, stop } = await leg.open(options);
  const found = {};
  try {
    for (const revision of revisions) {
      if (leg.revisions?.includes(revision) === false) continue;
      found[revision] = await runSuite(suite, url, { revision, only, verbose: options.verbose });
    }
  } finally {
    await stop();
  }
  return found;
}

async function runSuite(suite, url, { revision, only, verbose }) {
  const out = mkdtempSync(join(tmpdir(), "anygpt-conformance-results-"));
  try {
    const isThere = (name) => suite.requirements(revision).server.some(({ scenario }) => scenario === name);
    const runs =
      only === undefined
        ? [["--requirements", revision]]
        : only.filter(isThere).map((name) => ["--scenario", name, "--spec-version", revision, "--force"]);
    for (const words of runs)
      await runCommand([...suite.command, "server", "--url", url, "-o", out, ...words], verbose);
    return readResults(out);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

async function runCommand([command, ...args], verbose) {
  const output = verbose ? "inherit" : "ignore";
  await once(spawn(command, args, { stdio: ["ignore", output, output] }), "exit");
}
