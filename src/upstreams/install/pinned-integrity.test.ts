import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { installerOf } from "./installer.js";
import { npxFolderOf } from "./npx-cache.js";
import { integrityError } from "./pinned-integrity.js";

let home = "";
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), "integrity-"))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

const ARGS = ["-y", "@acme/sms@1.2.3"];
const start = () => ({
  command: "npx",
  args: ARGS,
  env: { HOME: home, npm_config_cache: join(home, "npm") },
  cwd: home,
});

function install(integrity: string): void {
  const installer = installerOf("npx", ARGS);
  const folder = installer && npxFolderOf(installer, start().env, home);
  mkdirSync(join(folder ?? "", "node_modules"), { recursive: true });
  const packages = { "node_modules/@acme/sms": { version: "1.2.3", integrity } };
  writeFileSync(join(folder ?? "", "node_modules/.package-lock.json"), JSON.stringify({ packages }));
}

describe("integrityError", () => {
  it("rejects a package that npm recorded with another integrity", () => {
    install("sha512-other");
    expect(integrityError(start(), "sha512-good", "sms")).toMatchObject({ code: "SIGNATURE_INVALID", server: "sms" });
  });

  it("accepts the pinned integrity, and any package of a server without a pin", () => {
    install("sha512-good");
    expect(integrityError(start(), "sha512-good", "sms")).toBeUndefined();
    expect(integrityError(start(), undefined, "sms")).toBeUndefined();
  });

  it("accepts a package that is not installed yet", () => {
    expect(integrityError(start(), "sha512-good", "sms")).toBeUndefined();
  });
});
