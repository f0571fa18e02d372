import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ROOT } from "../support/gateway.js";

interface Lockfile {
  readonly packages: Record<string, { integrity?: string; resolved?: string }>;
}

const read = (name: string): string => readFileSync(join(ROOT, name), "utf8");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "anygpt-lockfile-"));
  for (const name of ["package.json", "package-lock.json", ".npmrc"])
    copyFileSync(join(ROOT, name), join(folder, name));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The exit code of `npm ci` with an empty cache and no network: npm compares both files before it downloads. */
async function runNpmCi(): Promise<number> {
  const flags = ["--dry-run", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
  const env = { PATH: process.env["PATH"], HOME: folder, USERPROFILE: folder, npm_config_cache: join(folder, "cache") };
  return new Promise((resolve) => {
    const child = execFile("npm", ["ci", ...flags], { cwd: folder, env, shell: process.platform === "win32" });
    child.on("close", (code) => resolve(code ?? -1));
  });
}

function write(name: string, content: object): void {
  writeFileSync(join(folder, name), JSON.stringify(content));
}

describe("package-lock.json", () => {
  it("is accepted by npm ci", async () => {
    expect(await runNpmCi()).toBe(0);
  });

  it.each([
    ["a dependency is not locked", (lock: Lockfile) => delete lock.packages["node_modules/zod"]],
    [
      "a package for another platform is not locked",
      (lock: Lockfile) => delete lock.packages["node_modules/@esbuild/win32-arm64"],
    ],
  ])("is rejected by npm ci when %s", async (_, change) => {
    const lock = JSON.parse(read("package-lock.json")) as Lockfile;
    change(lock);
    write("package-lock.json", lock);
    expect(await runNpmCi()).not.toBe(0);
  });

  it("is rejected by npm ci when package.json requires another version", async () => {
    const manifest = JSON.parse(read("package.json")) as { devDependencies: object };
    write("package.json", { ...manifest, devDependencies: { ...manifest.devDependencies, zod: "^999.0.0" } });
    expect(await runNpmCi()).not.toBe(0);
  });

  it("has a checksum and no URL for every package", () => {
    const { packages } = JSON.parse(read("package-lock.json")) as Lockfile;
    const { "": _root, ...locked } = packages;
    expect(Object.keys(locked).length).toBeGreaterThan(0);
    expect(Object.entries(locked).filter(([, { integrity }]) => !integrity?.startsWith("sha512-"))).toEqual([]);
    expect(Object.entries(locked).filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
    expect(read(".npmrc")).toBe("omit-lockfile-registry-resolved=true\n");
  });
});
