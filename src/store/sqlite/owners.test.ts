import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createWatcher, openOwners } from "./owners.js";

let folder: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "owners-")), "owners");
});

describe("openOwners", () => {
  it("reports an owner as alive until it closes", () => {
    const [one, two] = [openOwners(folder), openOwners(folder)];
    expect([one.isAlive(two.self), two.isAlive(one.self), one.isAlive(one.self)]).toEqual([true, true, true]);
    two.close(false);
    expect(one.isAlive(two.self)).toBe(false);
    one.close(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("reports an owner whose lock is not held as ended", () => {
    const owners = openOwners(folder);
    writeFileSync(join(folder, "gone"), "");
    expect([owners.isAlive("gone"), owners.isAlive("never-there")]).toEqual([false, false]);
    owners.close(false);
  });

  it("removes the files of owners that have ended, except those with calls to recover", () => {
    const [owners, other] = [openOwners(folder), openOwners(folder)];
    for (const name of ["gone", "gone-too"]) writeFileSync(join(folder, name), "");
    owners.clear((owner) => owner === "gone-too");
    expect(readdirSync(folder).sort()).toEqual([owners.self, other.self, "gone-too"].sort());
    other.close(true);
    owners.clear((owner) => owner === other.self);
    expect(readdirSync(folder).sort()).toEqual([owners.self, other.self].sort());
    owners.close(false);
    expect(readdirSync(folder)).toEqual([other.self]);
  });

  it("creates and removes no lock file as a watcher", () => {
    const owners = openOwners(folder);
    const watcher = createWatcher(folder);
    writeFileSync(join(folder, "gone"), "");
    watcher.clear(() => false);
    watcher.close(false);
    expect([watcher.isAlive(owners.self), watcher.isAlive("gone")]).toEqual([true, false]);
    expect(existsSync(join(folder, "gone"))).toBe(true);
    owners.close(false);
  });
});
