import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { eventually } from "../../../test/support/eventually.js";
import { readFileSync } from "node:fs";
import { openBrowser } from "./open-browser.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "opener-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const URL_WITH_SIGNS = new URL("https://as.example/a;b$(c)`d`?e=f&g=%22;reboot");

/** A program that records its arguments. */
function opener(name: string): string {
  const file = join(folder, name);
  const seen = join(folder, `${name}.seen`);
  writeFileSync(
    file,
    `#!/bin/sh\nfor word in "$@"; do printf '%s\\n' "$word"; done > ${seen}.part\nmv ${seen}.part ${seen}\n`,
  );
  chmodSync(file, 0o755);
  return seen;
}

const env = () => ({ PATH: `${folder}:/usr/bin:/bin`, DISPLAY: ":0" });

it.each([
  ["linux", "xdg-open", []],
  ["darwin", "open", []],
  ["win32", "rundll32", ["url.dll,FileProtocolHandler"]],
] as const)("on %s calls %s with the URL as one argument", async (platform, name, before) => {
  const seen = opener(name);
  expect(await openBrowser(URL_WITH_SIGNS, { env: env(), platform })).toBe(true);
  const words = (): string[] => {
    try {
      return readFileSync(seen, "utf8").trim().split("\n");
    } catch {
      return [];
    }
  };
  await eventually(() => words().length > 0);
  expect(words()).toEqual([...before, URL_WITH_SIGNS.href]);
});

it.each(["javascript:alert(1)", "file:///etc/passwd", "vscode://x", "data:text/html,x", "--version:x"])(
  "never opens %s",
  async (address) => {
    const seen = opener("xdg-open");
    const url = URL.canParse(address) ? new URL(address) : new URL("about:blank");
    expect(await openBrowser(url, { env: env(), platform: "linux" })).toBe(false);
    expect(() => readFileSync(seen)).toThrow("ENOENT");
  },
);

it("opens nothing without a display or without an opener", async () => {
  opener("xdg-open");
  const { DISPLAY: _, ...headless } = env();
  expect(await openBrowser(URL_WITH_SIGNS, { env: headless, platform: "linux" })).toBe(false);
  expect(await openBrowser(URL_WITH_SIGNS, { env: { ...env(), PATH: "/nowhere" }, platform: "linux" })).toBe(false);
});
