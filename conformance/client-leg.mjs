// Runs every client scenario of a revision against the gateway as a client.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "./children.mjs";
import { readResults } from "./results.mjs";

export const CLIENT_LEG = "client";
const TIMEOUT_MS = 120_000;

/** Results by revision and scenario. */
export async function runClientLeg(revisions, { suite, only, dist, verbose }) {
  const found = {};
  for (const revision of revisions) {
    const out = mkdtempSync(join(tmpdir(), "anygpt-conformance-results-"));
    const waiting = suite
      .requirements(revision)
      .client.map(({ scenario }) => scenario)
      .filter((scenario) => only === undefined || only.includes(scenario));
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        await runScenario(next, { suite, revision, dist, out, verbose });
      }
    };
    try {
      await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, work));
      found[revision] = readResults(out);
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  }
  return found;
}

/** Ignores the exit code of the client, because some scenarios expect it to fail. */
async function runScenario(scenario, { suite, revision, dist, out, verbose }) {
  const client = [process.execPath, join(ROOT, "conformance/client.mjs"), dist].map(quoted).join(" ");
  const [command, ...first] = suite.command;
  const words = ["client", "--command", client, "--scenario", scenario, "--spec-version", revision, "--force"];
  const args = [...first, ...words, "--timeout", String(TIMEOUT_MS), "-o", out];
  const output = verbose ? "inherit" : "ignore";
  await once(spawn(command, args, { cwd: ROOT, stdio: ["ignore", output, output] }), "exit");
}

/** Quotes the words, because the suite passes them to a shell. */
const quoted = (word) => (/^[\w./:\\-]+$/.test(word) ? word : JSON.stringify(word));
