import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { tokenFile } from "../../gateway/runtime-environment.js";
import { openToken } from "./token.js";

let folder: string;
let file: string;
const warnings: string[] = [];
const open = () => openToken(file, (message) => warnings.push(message));
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "token-"));
  file = tokenFile(join(folder, "state"));
  warnings.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("creates a token once, readable by its owner only, and leaves no other file", async () => {
  const token = await open();
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(await open()).toBe(token);
  expect(readFileSync(file, "utf8")).toBe(`${token}\n`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, "state")).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(folder, "state"))).toEqual(["http.token"]);
});

it("returns the same token to concurrent callers, and another one for another folder", async () => {
  const tokens = await Promise.all(Array.from({ length: 20 }, open));
  expect(new Set(tokens).size).toBe(1);
  expect(await openToken(join(folder, "other"), () => undefined)).not.toBe(tokens[0]);
});

it("restricts the permissions of a file that others could read, and warns without the token", async () => {
  const token = await open();
  chmodSync(file, 0o644);
  expect(await open()).toBe(token);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(warnings).toEqual([expect.stringContaining("was readable by other users")]);
  expect(warnings.join()).not.toContain(token);
});

it.each(["", "\n", "short", "with spaces ".repeat(5), "x".repeat(1000), "ü".repeat(40)])(
  "rejects a file with the content %j",
  async (content) => {
    await open();
    writeFileSync(file, content);
    await expect(open()).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
      hint: expect.stringContaining("Remove"),
    });
  },
);

it("fails with CONFIGURATION_ERROR if the file can be neither read nor created", async () => {
  writeFileSync(join(folder, "state"), "a file where the folder should be");
  await expect(open()).rejects.toMatchObject({ code: "CONFIGURATION_ERROR" });
});
