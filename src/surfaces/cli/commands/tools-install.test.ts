import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace } from "../../../../test/support/cli.js";
import { sampleFile, stdioFile } from "../../../../test/support/signed-files.js";
import type { ToolFile } from "../../../toolfiles/format/tool-file.js";
import { toToolFileText } from "../../../toolfiles/format/to-text.js";

const FOLDER = ".ai/tools/mcp";
const LIB = sampleFile({
  needs: [{ name: "LIB_KEY", description: "a key of lib", header: "X-Key", required: true }],
  connection: { kind: "http", url: "https://lib.example/mcp", headers: { "X-Key": "${LIB_KEY}" } },
});
const FS = stdioFile({
  tool: {
    name: "find",
    description: "Finds a library.",
    inputSchema: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
  },
});

let ann: CliPlace;
let bob: CliPlace;
let archive: string;
let keyId: string;

const put = (place: CliPlace, file: ToolFile): void => {
  mkdirSync(join(place.folder, FOLDER), { recursive: true });
  writeFileSync(join(place.folder, FOLDER, `${file.toolId}.yaml`), toToolFileText(file));
};
const bytesAt = (place: CliPlace, toolId: string) => readFileSync(join(place.folder, FOLDER, `${toolId}.yaml`));
const filesOf = (place: CliPlace): string[] =>
  existsSync(join(place.folder, FOLDER)) ? readdirSync(join(place.folder, FOLDER)) : [];
const install = (...argv: string[]) => bob.run("mcp", "tools", "install", ...argv);
const atTerminal = (stdin: string, ...argv: string[]) =>
  bob.runWith({ isTerminal: true, stdin, columns: 200, env: { NO_COLOR: "1" } }, "mcp", "tools", "install", ...argv);
const exportTo = async (...argv: string[]): Promise<unknown> =>
  (await ann.run("mcp", "tools", "export", ...argv, "--json")).json();

beforeEach(async () => {
  ann = createCliPlace();
  bob = createCliPlace();
  put(ann, LIB);
  put(ann, FS);
  const { keys } = (
    await ann.run("mcp", "keys", "init", "--name", "ann").then(() => ann.run("mcp", "keys", "list", "--json"))
  ).json() as { keys: { key_id: string }[] };
  keyId = keys[0]?.key_id ?? "";
  await ann.run("mcp", "sign", "lib_find", "fs_find", "--yes");
  archive = join(ann.folder, "tools.tgz");
});
afterEach(() => {
  ann.remove();
  bob.remove();
});

describe("tools export", () => {
  it.each([
    ["everything", [], ["fs_find", "lib_find"]],
    ["what was named", ["lib_find"], ["lib_find"]],
    ["a server's", ["--server", "fs"], ["fs_find"]],
  ])("writes %s with the key", async (_name, words, files) => {
    expect(await exportTo(...words, "--output", archive)).toEqual({
      output: archive,
      files,
      keys: [{ key_id: keyId, name: "ann" }],
    });
  });

  it("omits rejected files with a warning, and fails if one was named", async () => {
    put(ann, sampleFile({ toolId: "bad" }));
    const { exit, stderr } = await ann.run("mcp", "tools", "export", "--output", archive);
    expect({ exit, told: stderr.includes("bad.yaml was not exported: unsigned.") }).toEqual({ exit: 0, told: true });
    expect(await exportTo("bad", "--output", "x.tgz")).toMatchObject({ error: { code: "SIGNATURE_INVALID" } });
  });

  it.each([
    ["a misspelt tool", ["lib_fnd"], "Did you mean lib_find?"],
    ["a misspelt server", ["--server", "libb"], "Did you mean lib?"],
    ["both", ["lib_find", "--server", "lib"], "The request has both tool ids and --server."],
  ])("refuses %s", async (_name, words, message) => {
    expect(JSON.stringify(await exportTo(...words, "--output", archive))).toContain(message);
    expect(existsSync(archive)).toBe(false);
  });

  it("does not overwrite a file without --force", async () => {
    await exportTo("--output", archive);
    expect(await exportTo("--output", archive)).toMatchObject({ error: { code: "INVALID_REQUEST" } });
    expect(await exportTo("--output", archive, "--force")).toMatchObject({ output: archive });
  });

  it("requires --output", async () => {
    expect((await ann.run("mcp", "tools", "export")).stderr).toContain("The option --output <path> is required");
  });
});

describe("tools install", () => {
  it("shows keys, servers, programs and variables, and asks", async () => {
    await exportTo("--output", archive);
    const declined = await atTerminal("n\n", archive);
    expect({ exit: declined.exit, files: filesOf(bob) }).toEqual({ exit: 1, files: [] });
    const shown = declined.stderr;
    expect(shown).toContain(`  ann\n  key ${keyId}\n  fingerprint ${keyId.replace(/(.{4})(?!$)/g, "$1 ")}\n`);
    expect(shown).toContain(`2 tool files would be written to ${join(bob.folder, FOLDER)}:`);
    expect(shown).toContain("Server fs starts npx -y server-filesystem\n  fs_find 1.0.0: find (signed by ann)");
    expect(shown).toContain(
      'Server lib at https://lib.example/mcp\n  sends X-Key: "${LIB_KEY}"\n  needs the variable LIB_KEY',
    );
    const { exit, stdout } = await atTerminal("y\n", archive);
    expect(exit).toBe(0);
    expect(stdout).toContain("✓ ann is now trusted.");
    expect(stdout).toContain("LIB_KEY - a key of lib");
    expect(stdout).toContain("Try: anygpt mcp run fs_find q=VALUE\n");
    for (const id of ["fs_find", "lib_find"]) expect(bytesAt(bob, id).equals(bytesAt(ann, id))).toBe(true);
    expect((await bob.run("mcp", "verify")).exit).toBe(0);
    expect((await install(archive)).stdout).toBe("Everything is already installed.\n");
  });

  it("warns that another key has the same name", async () => {
    await exportTo("--output", archive);
    await bob.run("mcp", "keys", "init", "--name", "ann");
    expect((await atTerminal("n\n", archive)).stderr).toMatch(/Another key here has the same name: [0-9a-f]{32}\./);
  });

  it("works from a folder, and into another one", async () => {
    const shared = join(ann.folder, "shared");
    await exportTo("--output", shared);
    const ran = await install(shared, "--yes", "--trust", keyId, "--folder", "elsewhere", "--json");
    expect(ran.json()).toMatchObject({ trusted: [{ key_id: keyId }], files: [{ change: "new" }, { change: "new" }] });
    expect(readdirSync(join(bob.folder, "elsewhere"))).toEqual(["fs_find.yaml", "lib_find.yaml"]);
    expect(ran.stderr).toContain("is not in toolFiles.folders");
  });

  it.each([
    ["without a word", [], "INVALID_REQUEST", "there is no terminal to ask"],
    ["with --yes alone", ["--yes"], "SIGNATURE_INVALID", "is not trusted on this machine"],
    ["with another key", ["--yes", "--trust", "0".repeat(32)], "SIGNATURE_INVALID", "is not trusted on this machine"],
  ])("trusts no new key %s", async (_name, flags, code, message) => {
    await exportTo("--output", archive);
    const ran = await install(archive, ...flags, "--json");
    expect(ran.json()).toMatchObject({ error: { code, message: expect.stringContaining(message) as string } });
    expect(JSON.stringify(ran.json())).toContain(`--trust ${keyId}`);
    expect(filesOf(bob)).toEqual([]);
    expect(((await bob.run("mcp", "keys", "list", "--json")).json() as { keys: unknown[] }).keys).toEqual([]);
  });

  it("installs nothing of an archive in which one file was changed", async () => {
    await exportTo("--output", archive);
    const tar = gunzipSync(readFileSync(archive));
    tar.write("evil", tar.indexOf("server-filesystem"));
    writeFileSync(archive, gzipSync(tar));
    const { exit, stderr } = await install(archive, "--yes", "--trust", keyId);
    expect({ exit, files: filesOf(bob) }).toEqual({ exit: 2, files: [] });
    expect(stderr).toContain("1 of 2 tool files");
    expect(stderr).toContain("fs_find.yaml was changed since it was signed");
  });

  it("rejects a revoked key, older files, and overwriting edited files", async () => {
    await exportTo("--output", archive);
    const newer = join(ann.folder, "newer.tgz");
    put(ann, { ...LIB, version: "1.2.0" });
    await ann.run("mcp", "sign", "lib_find", "--yes");
    await exportTo("--output", newer);
    expect((await install(newer, "--yes", "--trust", keyId)).exit).toBe(0);
    expect((await bob.run("mcp", "verify")).exit).toBe(0);
    expect((await install(archive, "--yes")).stderr).toContain("but version 1.2.0 of");
    writeFileSync(join(bob.folder, FOLDER, "fs_find.yaml"), "mine");
    expect((await install(newer, "--yes")).stderr).toContain("would overwrite it");
    await bob.run("mcp", "keys", "revoke", keyId, "--yes");
    expect((await install(newer, "--yes", "--trust", keyId)).stderr).toContain("which was revoked");
    expect(bytesAt(bob, "fs_find").toString()).toBe("mine");
  });

  it.each([
    ["nothing", "nowhere.tgz", "nowhere.tgz does not exist."],
    ["another file", "notes.txt", "notes.txt is not a valid set of tool files: it is not a gzip archive."],
  ])("refuses %s", async (_name, name, message) => {
    bob.write("notes.txt", "hello");
    expect(await install(name)).toMatchObject({ exit: 1, stderr: expect.stringContaining(message) as string });
  });
});

describe("tools", () => {
  it("lists the tools of a server, also of one with the name of a command", async () => {
    const place = createCliPlace({
      servers: [{ name: "export", command: "never-started", tools: [{ name: "ship" }] }],
    });
    const { stdout, stderr } = await place.run("mcp", "tools", "--server", "export");
    expect(stdout).toBe("✓ ship\n");
    expect(stderr).toContain("Tools from export (1 enabled");
    place.remove();
  });

  it("completes its commands and servers", async () => {
    put(bob, LIB);
    const { stdout } = await ann.run("__complete", "--", "mcp", "tools", "");
    expect(stdout.split("\n")).toEqual(["export", "fs", "install", "lib", ""]);
    expect((await ann.run("__complete", "--", "mcp", "tools", "export", "lib")).stdout).toBe("lib_find\n");
    expect((await ann.run("__complete", "--", "mcp", "tools", "install", "--t")).stdout).toBe("--trust\n");
  });

  it("shows the help of its commands", async () => {
    expect((await ann.run("mcp", "help", "tools", "install")).stdout).toContain("Usage: anygpt mcp tools install");
    expect((await ann.run("mcp", "tools", "export", "--nope")).stderr).toContain("`anygpt mcp tools export --help`");
  });
});
