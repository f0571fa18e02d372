// Finds the conformance suite in its own folder. It is not a dependency of this package, because it needs a newer Node.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";

const SUITE = "@modelcontextprotocol/conformance";
export const SUITE_VERSION = "0.2.0-alpha.12";
const MIN_NODE = 22;
const NODE_VERSION = "24";

export const REVISIONS = ["2025-11-25", "2026-07-28"];

const run = promisify(execFile);

/** `from` is a folder in which the suite is already installed. */
export async function openSuite(from) {
  const folder = from ?? (await install());
  const entry = join(folder, "node_modules", SUITE, "dist/index.js");
  if (!existsSync(entry)) throw new Error(`${folder} does not contain ${SUITE}.`);
  const node = findNode(folder);
  return {
    /** The command that starts the suite. */
    command: [node, entry],
    requirements: (revision) => readRequirements(join(folder, "node_modules", SUITE), revision),
  };
}

async function install() {
  const folder = join(tmpdir(), `anygpt-conformance-${SUITE_VERSION}`);
  const isInstalled = existsSync(join(folder, "node_modules", SUITE)) && findNode(folder) !== undefined;
  if (isInstalled) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const wanted = [`${SUITE}@${SUITE_VERSION}`, ...(isNewEnough() ? [] : [`${nodePackage()}@${NODE_VERSION}`])];
  await run("npm", ["install", "--no-audit", "--no-fund", ...wanted], {
    cwd: folder,
    shell: process.platform === "win32",
  });
  return folder;
}

function findNode(folder) {
  if (isNewEnough()) return process.execPath;
  const name = process.platform === "win32" ? "node.exe" : "node";
  const own = join(folder, "node_modules", nodePackage(), "bin", name);
  return existsSync(own) ? own : undefined;
}

const isNewEnough = () => Number(process.versions.node.split(".")[0]) >= MIN_NODE;
const nodePackage = () => `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;

/** The scenarios that a revision requires of servers and of clients, and those that are run but not scored, with the reason. */
function readRequirements(folder, revision) {
  const { server, client, not_scored } = parse(readFileSync(join(folder, "requirements", `${revision}.yaml`), "utf8"));
  const all = (leg, required) => [
    ...required.map((scenario) => ({ scenario, isRequired: true })),
    ...not_scored
      .filter((one) => one.leg === leg)
      .map(({ scenario, reason }) => ({ scenario, isRequired: false, reason })),
  ];
  return { server: all("server", server), client: all("client", client) };
}
