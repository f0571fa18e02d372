import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { areExactVersions, missingPackages, npmCacheOf, npxStateOf } from "./npx-cache.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "npx-cache-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const state = () => npxStateOf(folder, Date.now);
const at = (path: string, seconds: number) => utimesSync(join(folder, path), seconds, seconds);

function install(name: string): void {
  mkdirSync(join(folder, "node_modules", name), { recursive: true });
  writeFileSync(join(folder, "node_modules", name, "package.json"), "{}");
}

function complete(): void {
  install("@scope/pkg");
  writeFileSync(join(folder, "node_modules/.package-lock.json"), '{"packages":{"node_modules/@scope/pkg":{}}}');
  at("node_modules/@scope", 1000);
  at("node_modules", 1000);
  at("node_modules/.package-lock.json", 1001);
}

it("distinguishes absent, running, partial and complete installations", () => {
  expect(state()).toBe("absent");
  mkdirSync(join(folder, "concurrency.lock"));
  expect(state()).toBe("installing");
  at("concurrency.lock", 1000);
  install("@scope/pkg");
  expect(state()).toBe("partial");
  complete();
  expect(state()).toBe("complete");
});

it("treats a cache that cannot be read as absent", () => {
  const loop = join(folder, "loop");
  symlinkSync(loop, loop);
  expect(npxStateOf(join(loop, "_npx/hash"), Date.now)).toBe("absent");
});

it.each(["node_modules", "node_modules/@scope"])(
  "treats a change of %s after completion as an installation",
  (path) => {
    complete();
    at(path, 1002);
    expect(state()).toBe("partial");
  },
);

it("finds packages that are missing although the lock file lists them", () => {
  complete();
  expect(missingPackages(folder)).toEqual([]);
  rmSync(join(folder, "node_modules/@scope/pkg"), { recursive: true });
  expect(missingPackages(folder)).toEqual(["node_modules/@scope/pkg"]);
});

it("finds the npm cache in the environment, in the user's npmrc, and in the home folder", () => {
  const env = { HOME: folder };
  expect(npmCacheOf(env)).toBe(join(folder, ".npm"));
  writeFileSync(join(folder, ".npmrc"), "audit=false\ncache = ${HOME}/there\n");
  expect(npmCacheOf(env)).toBe(join(folder, "there"));
  expect(npmCacheOf({ ...env, NPM_CONFIG_CACHE: "/cache" })).toBe("/cache");
});

it.each([
  [["a@1.2.3", "@s/b@0.1.0-rc.1"], true],
  [["a"], false],
  [["a@latest"], false],
  [["a@^1.2.3"], false],
  [["a@1.2.3", "b"], false],
])("decides whether %j are exact versions: %s", (packages, expected) => {
  expect(areExactVersions(packages)).toBe(expected);
});
