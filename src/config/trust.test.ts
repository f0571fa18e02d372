import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTrust, isTrustOpen } from "./trust.js";

let root: string;
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "trust-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const open = (isOpen = false) => createTrust({ folder: join(root, "state/trust"), now: () => 1_000, isOpen });
const bytes = (text: string) => Buffer.from(text);
const project = (name = "project"): string => {
  mkdirSync(join(root, name), { recursive: true });
  return join(root, name, "config.json");
};

describe("trust", () => {
  it("applies to one path with one content", async () => {
    const trust = open();
    const file = project();
    expect(trust.isTrusted(file, bytes("a"))).toBe(false);
    await trust.record(file, bytes("a"));
    expect(trust.isTrusted(file, bytes("a"))).toBe(true);
    expect(trust.isTrusted(file, bytes("b"))).toBe(false);
    expect(trust.isTrusted(project("other"), bytes("a"))).toBe(false);
    expect(open().isTrusted(file, bytes("a"))).toBe(true);
  });

  it("applies to the last content only", async () => {
    const trust = open();
    await trust.record(project(), bytes("a"));
    await trust.record(project(), bytes("b"));
    expect(trust.isTrusted(project(), bytes("a"))).toBe(false);
    expect(trust.list()).toHaveLength(1);
  });

  it("ignores a byte order mark", async () => {
    const trust = open();
    await trust.record(project(), bytes("\uFEFFa"));
    expect(trust.isTrusted(project(), bytes("a"))).toBe(true);
  });

  it("can be revoked", async () => {
    const trust = open();
    await trust.record(project(), bytes("a"));
    expect(await trust.revoke(project())).toBe(true);
    expect(await trust.revoke(project())).toBe(false);
    expect(trust.isTrusted(project(), bytes("a"))).toBe(false);
  });

  it("resolves links in the folder's path, but not a link that is the file", async () => {
    const trust = open();
    const file = project();
    writeFileSync(file, "a");
    await trust.record(file, bytes("a"));
    symlinkSync(join(root, "project"), join(root, "alias"));
    expect(trust.isTrusted(join(root, "alias/config.json"), bytes("a"))).toBe(true);
    mkdirSync(join(root, "evil"));
    symlinkSync(file, join(root, "evil/config.json"));
    expect(trust.isTrusted(join(root, "evil/config.json"), bytes("a"))).toBe(false);
  });

  it("is stored in files that only the owner can read", async () => {
    await open().record(project(), bytes("a"));
    const folder = join(root, "state/trust");
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it.each(["", "{", "[]", '{"path": 1}', '{"path":"x","sha256":"y","trustedAt":0}'])(
    "ignores the invalid record %j",
    async (text) => {
      const trust = open();
      await trust.record(project(), bytes("a"));
      const folder = join(root, "state/trust");
      for (const name of readdirSync(folder)) writeFileSync(join(folder, name), text);
      expect(trust.isTrusted(project(), bytes("a"))).toBe(false);
    },
  );

  it("supports many concurrent writers", async () => {
    const files = Array.from({ length: 50 }, (_, n) => project(`p${n}`));
    await Promise.all(files.map((file) => open().record(file, bytes(file))));
    expect(files.every((file) => open().isTrusted(file, bytes(file)))).toBe(true);
    expect(open().list()).toHaveLength(50);
  });

  it("lists the files in a folder, and not those in a folder with a longer name", async () => {
    const trust = open();
    await trust.record(project("a"), bytes("x"));
    await trust.record(project("ab"), bytes("x"));
    expect(trust.inFolder(join(root, "a"))).toEqual([join(root, "a/config.json")]);
    expect(trust.list()).toMatchObject([
      { path: join(root, "a/config.json"), trustedAt: 1_000 },
      { path: join(root, "ab/config.json") },
    ]);
  });

  it.each([
    ["1", true],
    ["true", true],
    [" YES ", true],
    ["0", false],
    ["", false],
    ["no", false],
    [undefined, false],
  ])("covers everything with ANYGPT_TRUST_PROJECT=%s: %s", (value, expected) => {
    expect(isTrustOpen({ ANYGPT_TRUST_PROJECT: value })).toBe(expected);
    expect(open(isTrustOpen({ ANYGPT_TRUST_PROJECT: value })).isTrusted(project(), bytes("a"))).toBe(expected);
  });
});
