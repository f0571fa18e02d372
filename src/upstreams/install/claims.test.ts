import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isInstallClaimed, takeClaim } from "./claims.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "claims-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const parts = () => ({ folder, limitMs: 60_000 });
const take = (isNeeded = () => true, signal = new AbortController().signal) =>
  takeClaim("key", parts(), isNeeded, signal);

it("holds a claim until it is released, and stops waiting for a claim that is no longer needed", async () => {
  const claim = await take();
  expect(isInstallClaimed("key", parts())).toBe(true);
  let isNeeded = true;
  const other = take(() => isNeeded);
  isNeeded = false;
  expect(await other).toBeUndefined();
  claim?.release();
  expect(isInstallClaimed("key", parts())).toBe(false);
  expect(await take()).toBeDefined();
});

it("ends a claim with the process that it was transferred to", async () => {
  const child = spawn("sleep", ["60"]);
  await once(child, "spawn");
  const claim = await take();
  claim?.transferTo(child.pid ?? 0);
  expect(isInstallClaimed("key", parts())).toBe(true);
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
  expect(isInstallClaimed("key", parts())).toBe(false);
});

it.each([
  ["of another process with the same id", { pid: process.pid, startTime: "1", beganAt: Date.now() }],
  ["that is too old", { pid: process.pid, beganAt: Date.now() - 61_000 }],
])("ignores and removes a claim %s", (_name, claimant) => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "key.0.claim"), JSON.stringify(claimant));
  expect(isInstallClaimed("key", parts())).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
});

it("stops waiting for a claim when it is cancelled", async () => {
  await take();
  const controller = new AbortController();
  const other = take(() => true, controller.signal);
  controller.abort();
  await expect(other).rejects.toThrow("aborted");
});

it("gives the claim to one of many processes at a time, even if holders are killed", async () => {
  const claims = fileURLToPath(new URL("./claims.ts", import.meta.url));
  writeFileSync(
    join(folder, "holder.ts"),
    `import { takeClaim } from ${JSON.stringify(claims)};
import { appendFileSync } from "node:fs";
const [, , folder, log, rounds] = process.argv;
for (let round = 0; round < Number(rounds); round++) {
  const claim = await takeClaim("key", { folder, limitMs: 60_000 }, () => true, new AbortController().signal);
  appendFileSync(log, "in " + process.pid + "\\n");
  await new Promise((resolve) => setTimeout(resolve, 5));
  if (process.pid % 3 === 0 && round === 1) process.kill(process.pid, "SIGKILL");
  appendFileSync(log, "out " + process.pid + "\\n");
  claim.release();
}`,
  );
  const program = join(folder, "holder.mjs");
  await build({
    entryPoints: [join(folder, "holder.ts")],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
  });
  const [log, shared] = [join(folder, "log"), join(folder, "shared")];
  const holders = Array.from({ length: 6 }, () =>
    spawn(process.execPath, [program, shared, log, "5"], { stdio: "inherit" }),
  );
  await Promise.all(holders.map((holder) => once(holder, "exit")));
  const killed = new Set(holders.filter(({ signalCode }) => signalCode !== null).map(({ pid }) => String(pid)));
  const overlaps: string[] = [];
  let holder: string | undefined;
  for (const line of readFileSync(log, "utf8").trim().split("\n")) {
    const [what, pid = ""] = line.split(" ");
    const isFree = holder === undefined || killed.has(holder);
    if (what === "in" ? !isFree : pid !== holder) overlaps.push(`${line} while ${holder} holds it`);
    holder = what === "in" ? pid : undefined;
  }
  expect(overlaps).toEqual([]);
});
