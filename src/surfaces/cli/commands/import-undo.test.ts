import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { CODEX, CONFIG, CURSOR, GATEWAY, setUpImports } from "../../../../test/support/import-place.js";

const { place, at, read, run, cursor } = setUpImports();

describe("import --undo", () => {
  beforeEach(async () => {
    cursor({ a: { command: "a" } });
    place().write(CODEX, '[mcp_servers.b]\ncommand = "b"\n');
    await run("--client", "cursor", "codex", "--yes");
  });

  it("puts everything back once", async () => {
    expect((await run("--undo")).stdout).toContain("Nothing was written. Add --yes to write.");
    expect(read(CURSOR)).toContain("bin/discovery.js");
    const { exit, stdout } = await run("--undo", "--yes");
    expect([exit, stdout]).toEqual([
      0,
      "✓ ~/.codex/config.toml was restored to its state before the import\n✓ ~/.cursor/mcp.json was restored to its state before the import\n✓ ~/.anygpt/mcp-discovery.config.json was deleted\n",
    ]);
    expect([read(CODEX), JSON.parse(read(CURSOR)), existsSync(at(".anygpt/backups"))]).toEqual([
      '[mcp_servers.b]\ncommand = "b"\n',
      { mcpServers: { a: { command: "a" } } },
      false,
    ]);
    const twice = await run("--undo", "--yes");
    expect([twice.exit, twice.stdout]).toEqual([0, "There is no import to undo.\n"]);
  });

  it("puts the files of one client back and then the rest", async () => {
    await run("--undo", "--client", "codex", "--yes");
    expect([
      read(CODEX).includes("bin/discovery.js"),
      read(CURSOR).includes("bin/discovery.js"),
      existsSync(at(CONFIG)),
    ]).toEqual([false, true, true]);
    await run("--undo", "--yes");
    expect([read(CURSOR).includes("bin/discovery.js"), existsSync(at(CONFIG))]).toEqual([false, false]);
  });

  it("does not restore changed files, names the changes, and keeps files that clients depend on", async () => {
    const changed = { mcpServers: { anygpt: GATEWAY }, theme: "s3cret" };
    place().write(CURSOR, changed);
    const { exit, stdout, stderr } = await run("--undo", "--yes");
    expect(exit).toBe(2);
    expect(stdout).toBe(`✓ ~/.codex/config.toml was restored to its state before the import
✗ ~/.cursor/mcp.json was not changed: it was changed since the import
    changed: theme
! ~/.anygpt/mcp-discovery.config.json was not changed: a file that could not be restored depends on it
`);
    expect(stderr).toContain("--force restores the file anyway");
    expect([JSON.parse(read(CURSOR)), existsSync(at(CONFIG))]).toEqual([changed, true]);
  });

  it.each([
    ["a file that it rewrote", CURSOR],
    ["a file that it created", CONFIG],
  ])("follows no link that has replaced %s, also with --force", async (_what, path) => {
    place().write("precious.json", '{"keep":"me"}');
    rmSync(at(path));
    symlinkSync(at("precious.json"), at(path));
    const { exit, stdout } = await run("--undo", "--force", "--yes");
    expect(exit).toBe(2);
    expect(stdout).toContain("was not changed: it leads to");
    expect([read("precious.json"), lstatSync(at(path)).isSymbolicLink()]).toEqual(['{"keep":"me"}', true]);
  });

  it("restores only the servers with --force if the rest was changed, and saves the current content", async () => {
    place().write(CURSOR, { theme: 1, mcpServers: { anygpt: GATEWAY } });
    const { exit, stdout } = await run("--undo", "--force", "--yes");
    expect([exit, JSON.parse(read(CURSOR))]).toEqual([0, { theme: 1, mcpServers: { a: { command: "a" } } }]);
    const kept = /The overwritten content was saved in ~\/(\S+)\.\n/.exec(stdout)?.[1] ?? "";
    expect(JSON.parse(read(kept))).toEqual({ theme: 1, mcpServers: { anygpt: GATEWAY } });
  });

  it.each([
    ["whose servers changed too", () => place().write(CURSOR, '{"mcpServers":{}}')],
    ["that is gone", () => rmSync(at(CURSOR))],
  ])("restores the complete file with --force %s", async (_name, change) => {
    change();
    expect((await run("--undo", "--yes")).exit).toBe(2);
    expect((await run("--undo", "--force", "--yes")).exit).toBe(0);
    expect(JSON.parse(read(CURSOR))).toEqual({ mcpServers: { a: { command: "a" } } });
  });

  it.each([
    ["a folder", () => (rmSync(at(CURSOR)), mkdirSync(at(CURSOR))), "a folder is at its path"],
    [
      "a file for its folder",
      () => (rmSync(at(".cursor"), { recursive: true }), place().write(".cursor", "")),
      "a file is at the path of its folder",
    ],
  ])("does not restore a file that was replaced by %s, and restores the others", async (_name, change, reason) => {
    change();
    for (const argv of [
      ["--undo", "--json"],
      ["--undo", "--yes", "--json"],
    ]) {
      const { exit, json } = await run(...argv);
      expect(exit).toBe(2);
      expect(json()).toMatchObject({
        undone: [{ status: "restored" }, { path: at(CURSOR), status: "refused", reason }, { status: "removed" }],
      });
    }
    expect([read(CODEX).includes("bin/discovery.js"), existsSync(at(CONFIG))]).toEqual([false, false]);
    expect((await run("--undo", "--force", "--yes")).exit).toBe(2);
  });

  it("refuses a file whose folder is gone, and makes the folder again with --force", async () => {
    rmSync(at(".cursor"), { recursive: true });
    expect((await run("--undo", "--yes")).exit).toBe(2);
    expect((await run("--undo", "--force", "--yes")).exit).toBe(0);
    expect(JSON.parse(read(CURSOR))).toEqual({ mcpServers: { a: { command: "a" } } });
  });

  it("reports a file that already has its previous content", async () => {
    cursor({ a: { command: "a" } });
    expect((await run("--undo", "--yes", "--json")).json()).toMatchObject({
      undone: [{}, { status: "as before" }, { status: "removed" }],
    });
  });

  it("does not trust a backup that was damaged", async () => {
    const folder = at(`.anygpt/backups/${readdirSync(at(".anygpt/backups"))[0]}`);
    for (const name of readdirSync(folder)) if (name.endsWith(".before")) writeFileSync(join(folder, name), "rubbish");
    expect((await run("--undo", "--yes", "--json")).json()).toMatchObject({
      undone: [{ status: "refused", reason: "the backup is damaged" }, {}, {}],
    });
    expect(read(CURSOR)).toContain("bin/discovery.js");
  });

  it("undoes the last of several imports first", async () => {
    place().write(".codeium/windsurf/mcp_config.json", { mcpServers: { w: { command: "w" } } });
    await run("--client", "windsurf", "--yes");
    const first = await run("--undo", "--yes", "--json");
    expect(first.json()).toMatchObject({
      undone: [{ client: "windsurf" }, { role: "config", status: "restored" }],
      left: 1,
    });
    expect(Object.keys((JSON.parse(read(CONFIG)) as { servers: object }).servers)).toEqual(["a", "b"]);
    expect((await run("--undo", "--yes", "--json")).json()).toMatchObject({ left: 0 });
  });
});

it("restores every byte of any file around the servers", async () => {
  const text = fc
    .array(fc.constantFrom(" ", "\n", "\r\n", "\t", "// x\n", '/* "mcpServers" */'), { maxLength: 6 })
    .map((parts) => parts.join(""));
  const around = fc.tuple(fc.constantFrom("", "\ufeff"), text, text, text, fc.json({ maxDepth: 2 }), fc.boolean());
  await fc.assert(
    fc.asyncProperty(around, async ([mark, a, b, c, json, isOpenEnded]) => {
      const before = `${mark}${a}{${b}"x":${json},${c}"mcpServers"${a}:{${b}"a"${c}:{"command":"a"}${a}},"z":${json}${isOpenEnded ? "," : ""}${b}}${c}`;
      place().write(CURSOR, before);
      const ran = await run("--client", "cursor", "--yes", "--json");
      expect([ran.exit, read(CURSOR).includes("bin/discovery.js"), read(CURSOR).includes('"command":"a"')]).toEqual([
        0,
        true,
        false,
      ]);
      await run("--undo", "--yes");
      expect(readFileSync(at(CURSOR)).equals(Buffer.from(before))).toBe(true);
    }),
    { numRuns: 30 },
  );
});
