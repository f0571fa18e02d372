import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace } from "../../../../test/support/cli.js";
import { createTestKey, hashed, sampleFile, signed, stdioFile } from "../../../../test/support/signed-files.js";
import { toToolFileText } from "../../../toolfiles/format/to-text.js";
import { toKeyLine } from "../../../toolfiles/keys/key-line.js";

let place: CliPlace;

beforeEach(() => {
  place = createCliPlace();
});
afterEach(() => place.remove());

const FOLDER = ".ai/tools/mcp";
const at = (toolId: string) => join(place.folder, FOLDER, `${toolId}.yaml`);
const put = (toolId: string, content: string | Uint8Array): void => {
  mkdirSync(dirname(at(toolId)), { recursive: true });
  writeFileSync(at(toolId), content);
};
const run = (...argv: string[]) => place.run("mcp", ...argv);
const atTerminal = (stdin: string, ...argv: string[]) =>
  place.runWith({ isTerminal: true, stdin, columns: 200, env: { NO_COLOR: "1" } }, "mcp", ...argv);
const verdicts = async (...ids: string[]) => {
  const ran = await run("verify", ...ids, "--json");
  const { files } = ran.json() as { files: { tool_id: string; ok: boolean; reason?: string }[] };
  return { exit: ran.exit, files: files.map(({ tool_id, ok, reason }) => `${tool_id} ${ok ? "ok" : reason}`) };
};

/** Moves the creation time of every key back by one hour. */
function ageKeys(): void {
  const folder = join(place.folder, "state/keys");
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const earlier = (_: string, time: string) => `"${new Date(Date.parse(time) - 3_600_000).toISOString()}"`;
    writeFileSync(path, readFileSync(path, "utf8").replaceAll(/"(20[^"]+Z)"/g, earlier));
  }
}

const NEEDS = [{ name: "LIB_KEY", description: "a key of lib", header: "X-Key", required: true }];
const HTTP = sampleFile({
  needs: NEEDS,
  connection: { kind: "http", url: "https://lib.example/mcp", headers: { "X-Key": "${LIB_KEY}" } },
});
const STDIO = stdioFile({
  connection: { kind: "stdio", command: "npx", args: ["-y", "two words"], env: { NODE_OPTIONS: "--require x" } },
});
const ANN = createTestKey("ann");

describe("sign", () => {
  it("shows servers, programs and variables of the files, creates a key if there is none, and signs", async () => {
    put("lib_find", toToolFileText(HTTP));
    put("fs_find", toToolFileText(STDIO));
    expect((await verdicts()).files).toEqual(["fs_find unsigned", "lib_find unsigned"]);
    const { exit, stdout, stderr } = await run("sign", "lib_find", "fs_find", "--yes");
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^✓ Created your key \S+@\S+ \([0-9a-f]{32}\)\.\n/);
    expect(stdout).toMatch(/✓ lib_find is signed by \S+@\S+\.\n✓ fs_find is signed/);
    expect(stderr).toBe(
      `Server lib at https://lib.example/mcp
  sends X-Key: "\${LIB_KEY}"
  needs the variable LIB_KEY - a key of lib
  lib_find 1.0.0: find (not signed)
Server fs starts npx -y "two words"
  with NODE_OPTIONS="--require x"
  fs_find 1.0.0: find (not signed)

`,
    );
    expect(readFileSync(at("lib_find"), "utf8").split("\n").slice(2).join("\n")).toBe(toToolFileText(HTTP));
    expect(await verdicts()).toEqual({ exit: 0, files: ["fs_find ok", "lib_find ok"] });
  });

  it("skips a file that the same key has signed, and signs it again with another key", async () => {
    put("lib_find", toToolFileText(HTTP));
    await run("sign", "lib_find", "--yes");
    utimesSync(at("lib_find"), 1, 1);
    const before = readFileSync(at("lib_find"));
    const again = await run("sign", "lib_find", "--json");
    expect(again.json()).toMatchObject({ files: [{ tool_id: "lib_find", signed: false }] });
    expect([readFileSync(at("lib_find")).equals(before), statSync(at("lib_find")).mtimeMs]).toEqual([true, 1000]);
    await run("keys", "init", "--rotate");
    const rotated = await run("sign", "--all", "--json", "--yes");
    expect(rotated.json()).toMatchObject({ files: [{ tool_id: "lib_find", signed: true }] });
    expect((await verdicts()).files).toEqual(["lib_find ok"]);
    const keyOf = (bytes: Buffer) => /ed25519:([0-9a-f]{32}):/.exec(bytes.toString())?.[1] ?? "";
    await run("sign", "lib_find", "--yes", "--key", keyOf(before));
    expect(keyOf(readFileSync(at("lib_find")))).toBe(keyOf(before));
  });

  it("asks at a terminal, and creates no key before the user agrees", async () => {
    put("lib_find", toToolFileText(HTTP));
    const declined = await atTerminal("n\n", "sign", "lib_find");
    expect(declined.exit).toBe(1);
    expect(declined.stderr).toMatch(/Sign 1 file as \S+\? \[y\/N\] Nothing was signed\.\n$/);
    expect(readFileSync(at("lib_find"), "utf8")).toBe(toToolFileText(HTTP));
    expect((await run("keys", "list", "--json")).json()).toMatchObject({ keys: [] });
    expect((await atTerminal("y\n", "sign", "lib_find")).exit).toBe(0);
    expect((await verdicts()).exit).toBe(0);
  });

  it.each([[[]], [["--json"]]])("signs nothing without a terminal and without --yes: %j", async (words) => {
    put("lib_find", toToolFileText(HTTP));
    const ran = await run("sign", "lib_find", ...words);
    expect(ran.exit).toBe(1);
    expect(ran.stdout + ran.stderr).toMatch(/there is no terminal to ask[^]*add --yes/);
    expect(readFileSync(at("lib_find"), "utf8")).toBe(toToolFileText(HTTP));
    expect((await run("keys", "list", "--json")).json()).toMatchObject({ keys: [] });
  });

  it("signs with --all only files of its own keys, including expired ones, and reports the rest", async () => {
    await run("keys", "init");
    put("lib_find", toToolFileText(HTTP));
    put("old", toToolFileText({ ...HTTP, toolId: "old" }));
    await run("sign", "lib_find", "old", "--yes");
    const edited = readFileSync(at("lib_find"), "utf8").replace("lib.example", "evil.example");
    await run("keys", "init", "--rotate", "--overlap", "0");
    const strangers: Record<string, string | Buffer> = {
      unknown: signed({ ...HTTP, toolId: "unknown" }, createTestKey("eve").signing),
      trusted: signed({ ...HTTP, toolId: "trusted" }, ANN.signing),
      hashed: hashed({ ...HTTP, toolId: "hashed" }),
      plain: toToolFileText({ ...HTTP, toolId: "plain" }),
      broken: "}",
      lib_find: edited,
    };
    await run("keys", "trust", toKeyLine(ANN.known), "--yes");
    for (const [id, content] of Object.entries(strangers)) put(id, content);
    ageKeys();
    const ran = await run("sign", "--all", "--yes", "--json");
    expect(ran.json()).toMatchObject({ files: [{ tool_id: "old", signed: true }] });
    expect(ran.exit).toBe(2);
    for (const [id, content] of Object.entries(strangers)) {
      expect(readFileSync(at(id)).equals(Buffer.from(content))).toBe(true);
    }
    for (const id of Object.keys(strangers).filter((one) => one !== "trusted")) {
      expect(ran.stderr).toContain(`${id}.yaml `);
    }
  });

  it("does not sign a restored older file with --all, although an own key signed it before", async () => {
    await run("keys", "init");
    put("lib_find", toToolFileText(HTTP));
    await run("sign", "--yes", "lib_find");
    const before = readFileSync(at("lib_find"));
    put("lib_find", toToolFileText({ ...HTTP, version: "1.1.0" }));
    await run("sign", "--yes", "lib_find");
    await run("keys", "init", "--rotate", "--overlap", "0");
    put("lib_find", before);
    ageKeys();
    expect(await verdicts()).toMatchObject({ files: ["lib_find expired-key"] });
    const ran = await run("sign", "--all", "--yes", "--json");
    expect(ran.json()).toMatchObject({ files: [] });
    expect(readFileSync(at("lib_find")).equals(before)).toBe(true);
  });

  const EVE = createTestKey("eve");
  it.each<[string, () => Promise<string | Buffer> | string | Buffer, string]>([
    ["nobody", () => toToolFileText(HTTP), "(not signed)"],
    ["a stranger", () => signed(HTTP, EVE.signing), `(signed by the unknown key ${EVE.known.keyId})`],
    [
      "a revoked key",
      async () => {
        await run("keys", "trust", toKeyLine(ANN.known), "--yes");
        await run("keys", "revoke", ANN.known.keyId, "--yes");
        return signed(HTTP, ANN.signing);
      },
      `(signed by the revoked key ${ANN.known.keyId})`,
    ],
    ["whoever changed it since", () => `${signed(HTTP, EVE.signing).toString()}\n`, "(changed since it was signed)"],
  ])("warns before the question that a file is from %s", async (_who, content, remark) => {
    put("lib_find", await content());
    const { stderr } = await atTerminal("n\n", "sign", "lib_find");
    expect(stderr).toContain(`lib_find 1.0.0: find ${remark}`);
  });

  it("signs nothing if one named file is not a tool file, and reports every reason with its line", async () => {
    put("lib_find", toToolFileText(HTTP));
    put(
      "bad",
      signed({ ...HTTP, toolId: "bad" }, ANN.signing)
        .toString("utf8")
        .replace("version:", "vers:"),
    );
    const before = readFileSync(at("lib_find"));
    const { exit, stderr } = await run("sign", "lib_find", "bad", "--yes");
    expect(exit).toBe(2);
    expect(stderr).toContain("Nothing was signed.");
    expect(stderr).toMatch(/bad\.yaml: 3:1: version: is missing.*4:1: vers: /);
    expect(readFileSync(at("lib_find")).equals(before)).toBe(true);
  });

  it("signs a file by its path and warns if its folder is not used", async () => {
    const path = place.write("elsewhere/lib_find.yaml", toToolFileText(HTTP));
    const { exit, stdout, stderr } = await run("sign", "elsewhere/lib_find.yaml", "--yes");
    expect({ exit, out: stdout.includes("lib_find is signed") }).toEqual({ exit: 0, out: true });
    expect(stderr).toContain(`${path} is signed but not used`);
    expect(readFileSync(path, "utf8")).toMatch(/^# kiwi-mcp:validated:.*\n# anygpt:ed25519:/);
  });

  it.each([
    ["nothing", [], "The request needs either files or --all.", 1],
    ["a misspelt id", ["lib_fnd"], "Did you mean lib_find?", 2],
    ["a key that is not there", ["lib_find", "--key", "abc"], 'The key "abc" cannot sign on this machine.', 1],
    ["a path that is not there", ["x/lib_find.yaml"], "it does not exist", 2],
  ])("refuses %s", async (_name, words, message, exit) => {
    put("lib_find", toToolFileText(HTTP));
    const ran = await run("sign", ...words);
    expect(ran.exit).toBe(exit);
    expect(ran.stderr).toContain(message);
  });
});

describe("verify", () => {
  it("reports the file, the reason and a hint, and accepts the other files", async () => {
    put("lib_find", toToolFileText(HTTP));
    await run("sign", "lib_find", "--yes");
    put("fs_find", signed(STDIO, ANN.signing));
    put("other", hashed(sampleFile({ toolId: "other" })));
    const { exit, stdout } = await run("verify");
    expect(exit).toBe(2);
    expect(stdout).toContain("3 tool files, 2 rejected:");
    expect(stdout).toMatch(/✓ lib_find 1\.0\.0 - signed by \S+@\S+, 20\d\d-/);
    expect(stdout).toContain(`✗ fs_find - unknown-key\n  ${at("fs_find")} is signed with the key ${ANN.known.keyId}`);
    expect(stdout).toContain("`anygpt mcp keys trust`");
    expect(stdout).toContain("✗ other - hash-only");
    expect(await verdicts("lib_find")).toEqual({ exit: 0, files: ["lib_find ok"] });
  });

  it("rejects an older version until the user accepts it", async () => {
    await run("keys", "trust", toKeyLine(ANN.known), "--yes");
    const [older, newer] = [HTTP, { ...HTTP, version: "1.1.0" }].map((file) => signed(file, ANN.signing));
    put("lib_find", newer!);
    expect((await verdicts()).exit).toBe(0);
    put("lib_find", older!);
    expect(await verdicts()).toEqual({ exit: 2, files: ["lib_find rolled-back"] });
    expect((await run("verify", "lib_find", "--accept")).exit).toBe(1);
    const declined = await atTerminal("n\n", "verify", "lib_find", "--accept");
    expect(declined.exit).toBe(1);
    expect(declined.stderr).toMatch(/lib_find\.yaml 1\.0\.0 of \S+, instead of 1\.1\.0 of/);
    expect((await verdicts()).exit).toBe(2);
    expect((await run("verify", "--accept", "--yes")).stderr).toContain(
      "--accept with --yes needs the ids of the tools.",
    );
    expect((await atTerminal("y\n", "verify", "lib_find", "--accept")).exit).toBe(0);
    expect(await verdicts()).toEqual({ exit: 0, files: ["lib_find ok"] });
    expect((await run("verify", "--accept", "--yes")).stderr).toContain("None of these files is older");
  });

  it("does not mind a file in whose place another one is used", async () => {
    place.write(".anygpt/mcp-discovery.config.json", { toolFiles: { folders: [`../${FOLDER}`, "./more"] } });
    put("lib_find", toToolFileText(HTTP));
    place.write(".anygpt/more/lib_find.yaml", toToolFileText({ ...HTTP, version: "2.0.0" }));
    await run("sign", at("lib_find"), join(place.folder, ".anygpt/more/lib_find.yaml"), "--yes");
    expect(await verdicts()).toEqual({ exit: 0, files: ["lib_find ok", "lib_find shadowed"] });
  });

  it("does not report a file as valid if another file for the same tool takes precedence", async () => {
    put("lib_find", toToolFileText(HTTP));
    put("lib_other", toToolFileText({ ...HTTP, toolId: "lib_other" }));
    await run("sign", "lib_find", "lib_other", "--yes");
    expect(await verdicts()).toEqual({ exit: 0, files: ["lib_find ok", "lib_other shadowed"] });
    const { stdout } = await run("verify", "lib_other");
    expect(stdout).toContain("! lib_other - shadowed");
    expect(stdout).toContain(`another file describes the same tool: ${at("lib_find")}`);
    const ran = await run("run", "lib_other");
    expect(ran.exit).toBe(2);
    expect(ran.stderr + ran.stdout).toContain(`another file describes the same tool: ${at("lib_find")}`);
  });

  it("names the searched folders if there are no files, and fails if tool files are disabled", async () => {
    expect((await run("verify")).stdout).toContain(`There are no tool files in ${place.folder}/.ai/tools/mcp`);
    place.write(".anygpt/mcp-discovery.config.json", { toolFiles: { enabled: false } });
    expect(await run("verify")).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("The configuration disables tool files.") as string,
    });
  });

  it("completes tool ids, refused ones too", async () => {
    put("lib_find", toToolFileText(HTTP));
    expect((await place.run("__complete", "--", "mcp", "verify", "li")).stdout).toBe("lib_find\n");
  });
});
