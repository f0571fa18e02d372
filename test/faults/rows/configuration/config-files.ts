// 60 files as configurations: the gateway accepts each file or rejects it with one line that names the position; a
// running gateway keeps the last valid configuration.
import { spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { testServer } from "../../../support/gateway.js";
import { CONFIG_FILES, type ConfigFile } from "../../support/config-corpus.js";
import { waitFor, withDeadline } from "../../support/deadline.js";
import { openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { createRandom } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { endingOf, listServers } from "../../support/scripted.js";

const LAUNCH = fileURLToPath(new URL("../../support/launch.mjs", import.meta.url));
const LIMIT_MS = 60_000;
const AT_ONCE = 2;

/** `count`: how many of the files are tried. */
export async function configFiles({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  const random = createRandom(seed);
  const files = count >= CONFIG_FILES.length ? CONFIG_FILES : random.shuffle(CONFIG_FILES).slice(0, count);
  return await inHome(async (home) => {
    const waiting = [...files.entries()];
    const starts: Start[] = [];
    const worker = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [number, file] = next;
        starts.push(await tryStart(home, { dist, file, number }));
        if (starts.length % 10 === 0) onProgress?.(`${starts.length} of ${files.length} starts`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const bad = files.filter(({ isGood, name }) => !isGood && name === "x.json");
    const reloads = await tryReloads(home, dist, bad);
    return {
      title: "valid and invalid configuration files",
      n: starts.length + bad.length,
      injected: starts.filter(({ isGood }) => !isGood).length + bad.length,
      violations: [...starts.flatMap(({ violations }) => violations), ...reloads],
      figures: {
        files: files.length,
        "correct verdicts": starts.filter(({ violations }) => violations.length === 0).length,
        "reloads that kept the last valid configuration": bad.length - reloads.length,
      },
      times: { of: "from the start to the rejection", ms: starts.filter(({ isGood }) => !isGood).map(({ ms }) => ms) },
    };
  });
}

interface Start {
  readonly isGood: boolean;
  readonly ms: number;
  readonly violations: readonly string[];
}

interface Trial {
  readonly dist: string;
  readonly file: ConfigFile;
  readonly number: number;
}

async function tryStart(home: FaultHome, { dist, file, number }: Trial): Promise<Start> {
  const path = home.path(`${number}-${file.name}`);
  writeFileSync(path, file.bytes());
  const from = performance.now();
  // Standard input is closed: a gateway that starts successfully also exits successfully.
  const child = spawn(process.execPath, [LAUNCH, dist, "discovery", "--config", path], {
    env: home.env,
    cwd: home.folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  home.own(child);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += String(chunk)));
  const code = await withDeadline(
    new Promise<number | null>((resolve) => child.once("close", resolve)),
    LIMIT_MS,
    `the start with ${file.what}`,
  );
  const ms = performance.now() - from;
  rmSync(path);
  return { isGood: file.isGood, ms, violations: judge(file, { path, code, said }) };
}

function judge(
  { what, isGood }: ConfigFile,
  { path, code, said }: { path: string; code: number | null; said: string },
) {
  const reported = said.slice(0, 300);
  if (isGood) return code === 0 && !said.includes("✗") ? [] : [`${what}: exit ${code}, ${reported}`];
  // One problem is one line; several problems are one line each. If the whole file is invalid, there is no line number to report.
  const isPlaced = said.startsWith("✗ ") && said.includes(`${path}:`);
  const isPlain = !/\[object |\n\s+at |node:internal/.test(said) && said.length < 2000;
  return code === 2 && isPlaced && isPlain ? [] : [`${what}: exit ${code}, ${reported}`];
}

async function tryReloads(home: FaultHome, dist: string, files: readonly ConfigFile[]): Promise<string[]> {
  home.configure({ stays: testServer("echo.mjs") });
  const gateway = await openGateway(home, { dist });
  const violations = [];
  for (const { what, bytes } of files) {
    writeFileSync(home.config, bytes());
    gateway.signal("SIGHUP");
    const outcome = await gateway.execute({ server: "stays", tool: "add", arguments: { a: 1, b: 2 } });
    if (outcome.kind !== "answer")
      violations.push(`with ${what} as the configuration, a call ends in ${endingOf(outcome)}`);
  }
  home.configure({ stays: testServer("echo.mjs"), comes: testServer("echo.mjs") });
  gateway.signal("SIGHUP");
  const isBack = async (): Promise<boolean> => (await listServers(gateway)).length === 2;
  await waitFor(isBack, "valid configuration in use", LIMIT_MS);
  await gateway.close();
  return violations;
}
