import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace } from "../../../../test/support/cli.js";
import { recordsIn } from "../../../../test/support/records.js";
import { createTestKey } from "../../../../test/support/signed-files.js";
import { storeFile } from "../../../store/create-store.js";
import { toKeyLine } from "../../../toolfiles/keys/key-line.js";

let place: CliPlace;

beforeEach(() => {
  place = createCliPlace();
});
afterEach(() => place.remove());

const run = (...argv: string[]) => place.run("mcp", "keys", ...argv);
const atTerminal = (stdin: string, ...argv: string[]) =>
  place.runWith({ isTerminal: true, stdin, columns: 200, env: { NO_COLOR: "1" } }, "mcp", "keys", ...argv);
interface Page {
  readonly key_id: string;
  readonly name: string;
  readonly state: string;
  readonly kind: string;
  readonly not_after?: string;
}
const list = async () => ((await run("list", "--json")).json() as { keys: Page[] }).keys;
const states = async () => (await list()).map(({ name, kind, state }) => `${name} ${kind} ${state}`);
const actions = async () => {
  const records = await recordsIn(storeFile(join(place.folder, "state")));
  return records.map((record) => record["action"]).filter((action) => action !== undefined);
};

const ANN = createTestKey("ann");
const LINE = toKeyLine(ANN.known);
const { keyId: ID } = ANN.known;
const FINGERPRINT = ID.replace(/(.{4})(?!$)/g, "$1 ");

describe("keys init", () => {
  it("makes a key for its owner alone, and prints nothing of the private half", async () => {
    const { exit, stdout } = await run("init", "--name", "me");
    const folder = join(place.folder, "state/keys");
    const files = readdirSync(folder);
    const secret = files.find((file) => file.endsWith(".private.json")) ?? "";
    const { privateKey } = JSON.parse(readFileSync(join(folder, secret), "utf8")) as { privateKey: string };
    expect({ exit, states: await states() }).toEqual({ exit: 0, states: ["me own active"] });
    expect(stdout).toMatch(/^✓ me is your signing key now\.\n {2}Fingerprint: (?:[0-9a-f]{4} ){7}[0-9a-f]{4}\n/);
    expect(stdout).toMatch(/\n {2}anygpt-ed25519 [\w-]{43} me\n$/);
    expect(stdout + (await run("list", "--json")).stdout).not.toContain(privateKey);
    expect([statSync(folder).mode & 0o777, statSync(join(folder, secret)).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  it("creates no second key if one already signs", async () => {
    await run("init", "--name", "me");
    const { exit, stderr } = await run("init");
    expect(exit).toBe(1);
    expect(stderr).toContain("There is already a signing key");
    expect(stderr).toContain("--rotate");
    expect(await states()).toEqual(["me own active"]);
  });

  it("rotates: the key before stays good for the overlap", async () => {
    await run("init", "--name", "me");
    const { stdout } = await run("init", "--rotate", "--overlap", "2w");
    expect(stdout).toContain("Sign its files again before then with `anygpt mcp sign --all`.");
    const [old] = await list();
    const days = (Date.parse(old?.not_after ?? "") - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(14);
    expect(await states()).toEqual(["me own expiring", "me own active"]);
  });

  it.each([
    [["--overlap", "30d"], "--overlap works only together with --rotate."],
    [["--rotate", "--overlap", "soon"], '"soon" is not a valid duration.'],
    [["--name", "two\nlines"], "This is not a valid public key: its name"],
  ])("refuses %j", async (flags, message) => {
    const { exit, stderr } = await run("init", ...flags);
    expect({ exit, keys: await list() }).toEqual({ exit: 1, keys: [] });
    expect(stderr).toContain(message);
  });
});

describe("keys export", () => {
  it("prints the line alone", async () => {
    await run("init", "--name", "me");
    const [key] = await list();
    const { stdout } = await run("export");
    expect(stdout).toMatch(/^anygpt-ed25519 [\w-]{43} me\n$/);
    expect((await run("export", key?.key_id ?? "", "--json")).json()).toEqual({
      key_id: key?.key_id,
      public_key: stdout.trimEnd(),
    });
  });

  it("prints a hint if there is none", async () => {
    expect(await run("export")).toMatchObject({
      exit: 1,
      stderr: "✗ You have no key yet.\n  Create one with `anygpt mcp keys init`.\n",
    });
  });
});

describe("keys trust", () => {
  it("accepts a line without quotes whose key begins with a hyphen", async () => {
    let key = createTestKey("bob").known;
    while (!key.publicKey.startsWith("-")) key = createTestKey("bob").known;
    const { exit, stderr } = await atTerminal("y\n", "trust", ...toKeyLine(key).split(" "));
    expect({ exit, stderr }).toMatchObject({ exit: 0 });
    expect(await states()).toEqual(["bob trusted good"]);
  });

  it.each([
    ["a line", () => [LINE]],
    ["a line without quotes", () => LINE.split(" ")],
    ["a file", () => [place.write("ann.pub", `${LINE}\n`)]],
  ])("shows the fingerprint of %s and asks", async (_name, words) => {
    expect(await atTerminal("n\n", "trust", ...words())).toMatchObject({ exit: 1, stdout: "" });
    expect(await states()).toEqual([]);
    const { exit, stdout, stderr } = await atTerminal("y\n", "trust", ...words());
    expect({ exit, stderr }).toMatchObject({ exit: 0 });
    expect(stderr).toContain(`fingerprint ${FINGERPRINT}\n`);
    expect(stdout).toContain("✓ ann is now trusted.");
    expect(await states()).toEqual(["ann trusted good"]);
    expect(await actions()).toEqual(["trust_key"]);
  });

  it("trusts nothing without a confirmation, and with --yes a key from standard input", async () => {
    const { exit, stderr } = await run("trust", LINE);
    expect({ exit, states: await states() }).toEqual({ exit: 1, states: [] });
    expect(stderr).toContain("--yes");
    const ran = await place.runWith({ stdin: `${LINE}\n` }, "mcp", "keys", "trust", "-", "--yes", "--json");
    expect(ran.json()).toMatchObject({ key: { key_id: ID, name: "ann", fingerprint: FINGERPRINT, state: "good" } });
  });

  it("reports a key that is already trusted, and another key with the same name", async () => {
    await run("trust", LINE, "--yes");
    expect((await run("trust", LINE)).stdout).toContain("ann is already trusted.");
    const other = await atTerminal("n\n", "trust", toKeyLine(createTestKey("ann").known));
    expect(other.stderr).toContain(`Another key here has the same name: ${ID}.`);
  });

  it.each([
    ["a file that is not there", "nowhere.pub", "nowhere.pub does not exist."],
    ["a line that is none", "anygpt-ed25519 short ann", "This is not a public key."],
  ])("refuses %s", async (_name, given, message) => {
    const { exit, stderr } = await run("trust", given, "--yes");
    expect(exit).toBe(1);
    expect(stderr).toContain(message);
  });
});

describe("keys revoke", () => {
  it("asks, and is permanent", async () => {
    await run("trust", LINE, "--yes");
    expect((await run("revoke", ID)).exit).toBe(1);
    expect(await atTerminal("n\n", "revoke", ID)).toMatchObject({ exit: 1 });
    expect(await states()).toEqual(["ann trusted good"]);
    expect((await atTerminal("y\n", "revoke", ID)).stdout).toContain("✓ ann is revoked. This is permanent.");
    const { exit, stderr } = await run("trust", LINE, "--yes");
    expect({ exit, states: await states() }).toEqual({ exit: 1, states: ["ann trusted revoked"] });
    expect(stderr).toContain("was revoked on this machine, which is permanent");
    const listed = (await run("list")).stdout;
    expect(listed).toMatch(/✗ ann - revoked 20\d\d-\d\d-\d\d \d\d:\d\d UTC\n/);
    expect(listed).toContain(`revoked key ${ID}`);
    expect(listed).not.toContain("trusted key");
    expect(await actions()).toEqual(["trust_key", "revoke_key"]);
  });

  it("works with a broken configuration", async () => {
    await run("trust", LINE, "--yes");
    place.write(".anygpt/mcp-discovery.config.json", "{");
    const { exit, stderr } = await run("revoke", ID, "--yes");
    expect({ exit, states: await states() }).toEqual({ exit: 0, states: ["ann trusted revoked"] });
    expect(stderr).toContain("The revocation could not be written to the audit log");
  });

  it("prints a hint for an unknown key", async () => {
    expect(await run("revoke", "abc", "--yes")).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining("`anygpt mcp keys list`") as string,
    });
  });
});

describe("keys list", () => {
  it("reports the problem of a key file that is not used", async () => {
    await run("trust", LINE, "--yes");
    chmodSync(join(place.folder, "state/keys", `${ID}.public.json`), 0o666);
    const { stdout } = await run("list");
    expect(stdout).toContain("is not used: other users can read or write it");
  });

  it("completes the ids of keys", async () => {
    await run("trust", LINE, "--yes");
    expect((await place.run("__complete", "--", "mcp", "keys", "revoke", ID.slice(0, 3))).stdout).toBe(`${ID}\n`);
    expect((await place.run("__complete", "--", "mcp", "sign", "--key", "")).stdout).toBe(`${ID}\n`);
  });
});
