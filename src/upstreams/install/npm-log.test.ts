import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { closeAll, openWatched, stdioTarget, toCall } from "../../../test/support/upstreams.js";
import { findNpmLog } from "./npm-log.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "npm-log-"));
  mkdirSync(join(folder, "_logs"));
});
afterEach(async () => {
  await closeAll();
  rmSync(folder, { recursive: true, force: true });
});

const npx = (spec: string) => ({ tool: "npx", packages: [spec], npm: { cache: folder } });
const run = () => ({ env: {}, cwd: folder, since: Date.now() - 10_000 });
const log = (name: string, ...rows: string[]): string => {
  const file = join(folder, "_logs", `${name}-debug-0.log`);
  writeFileSync(file, `${rows.map((row, index) => `${index} ${row}`).join("\n")}\n`);
  return file;
};
const ARGV = 'verbose argv "exec" "--yes" "--" "pkg"';
const SCRIPT = "info run pkg@1.0.0 postinstall { code: 3, signal: null }";

it("quotes the error or else the failed script of the run that installed the package", () => {
  const file = log("2", ARGV, "info run a@1.0.0 install { code: 0, signal: null }", SCRIPT, "verbose exit 3");
  log("3", 'verbose argv "exec" "--" "other"', "error code E404");
  expect(findNpmLog(npx("pkg"), run())).toEqual({ file, line: SCRIPT.slice("info ".length) });
  const newer = log("4", ARGV, SCRIPT, "error code E404", "error 404 Not Found - GET http://r/pkg");
  expect(findNpmLog(npx("pkg"), run())).toEqual({ file: newer, line: "npm error 404 Not Found - GET http://r/pkg" });
});

it("ignores logs of earlier runs", () => {
  utimesSync(log("1", ARGV, SCRIPT), 1000, 1000);
  expect(findNpmLog(npx("pkg"), run())).toBeUndefined();
});

it("names the npm log in the error when npx exits without output", async () => {
  const command = join(folder, "npx");
  const file = join(folder, "_logs/9-debug-0.log");
  writeFileSync(command, `#!/bin/sh\nprintf '%s\\n' '0 ${ARGV}' '1 ${SCRIPT}' > "${file}"\nexit 3\n`);
  chmodSync(command, 0o755);
  const args = ["--cache", folder, "-y", "pkg"];
  const target = stdioTarget("silent", [], { connection: () => ({ kind: "stdio", command, args, env: {} }) });
  const upstreams = openWatched({ startWaitMs: 10_000 }, { installsFolder: join(folder, "installs") });
  await expect(upstreams.call(target, toCall("pid"))).rejects.toMatchObject({
    message: 'silent exited with code 3: "run pkg@1.0.0 postinstall { code: 3, signal: null }".',
    nextSteps: [{ action: "edit-file", path: file, change: "read" }],
  });
});
