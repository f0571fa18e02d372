import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeTools } from "../../test/support/fake-tools.js";
import type { DiscoveryError } from "../errors.js";
import { createSecretReader, type SecretReaderParts } from "./create-secret-reader.js";
import { openKeychain } from "./keychain.js";

let folder: string;
let store: string;
let env: Record<string, string>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "secrets-"));
  const tools = fakeTools(folder);
  store = tools.store;
  env = { PATH: tools.bin };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const reader = (parts: Partial<SecretReaderParts> = {}) =>
  createSecretReader({ env, cwd: folder, platform: "linux", elapsed: () => 0, ...parts });
const failureOf = (work: Promise<unknown>): Promise<DiscoveryError> =>
  work.then(
    () => expect.unreachable(),
    (error: DiscoveryError) => error,
  );
const calls = (): string[] => readFileSync(join(store, "calls"), "utf8").trim().split("\n");
const node = (code: string): string => `command:${process.execPath} -e '${code}'`;

it("reports a missing working folder, not a missing tool", async () => {
  const error = await failureOf(reader({ cwd: join(folder, "none") }).read("keychain:TOKEN"));
  expect(error.message).toContain(`could not be run (the folder ${join(folder, "none")} does not exist)`);
});

it.each<[NodeJS.Platform, string, boolean]>([
  ["linux", "process.exit(1)", true],
  ["linux", 'process.stderr.write("Cannot autolaunch D-Bus without X11"); process.exit(1)', false],
  ["darwin", 'process.stderr.write("The specified item could not be found"); process.exit(44)', true],
  ["darwin", 'process.stderr.write("no keychain"); process.exit(50)', false],
])("decides on %s after `%s` whether the keychain is available: %s", async (platform, code, isAvailable) => {
  const tool = platform === "darwin" ? "security" : "secret-tool";
  writeFileSync(join(env["PATH"] ?? "", tool), `#!${process.execPath}\n${code}`, { mode: 0o755 });
  expect(await openKeychain({ env, cwd: folder, platform }).isAvailable()).toBe(isAvailable);
});

describe("a reference", () => {
  it.each([
    ["keychain:TOKEN", "linux", "anygpt~TOKEN", "secret-tool lookup service anygpt account TOKEN"],
    ["keychain:github/me", "linux", "github~me", "secret-tool lookup service github account me"],
    ["keychain:TOKEN", "darwin", "anygpt~TOKEN", "security find-generic-password -s anygpt -a TOKEN -w"],
    [
      "op://Private/GitHub/token",
      "linux",
      "op:~~Private~GitHub~token",
      "op read --no-newline op://Private/GitHub/token",
    ],
    ["vault:secret/github#token", "linux", "secret~github~token", "vault kv get -field=token secret/github"],
  ] as const)("%s on %s is read by the platform's tool", async (reference, platform, file, call) => {
    writeFileSync(join(store, file), "s3cret-value");
    expect(await reader({ platform }).read(reference)).toBe("s3cret-value");
    expect(calls()).toEqual([call]);
  });

  it("to a command runs it without a shell and uses its output", async () => {
    const code = 'process.stdout.write(process.argv.slice(1).join("|") + "\\n")';
    expect(await reader().read(`${node(code)} "a b" $HOME ; x`)).toBe("a b|$HOME|;|x");
  });

  it("is read once within five minutes, and again after a failure", async () => {
    let now = 0;
    const { read } = reader({ elapsed: () => now });
    await failureOf(read("keychain:TOKEN"));
    writeFileSync(join(store, "anygpt~TOKEN"), "one");
    expect(await Promise.all([read("keychain:TOKEN"), read("keychain:TOKEN")])).toEqual(["one", "one"]);
    writeFileSync(join(store, "anygpt~TOKEN"), "two");
    now = 299_999;
    expect(await read("keychain:TOKEN")).toBe("one");
    now = 300_000;
    expect(await read("keychain:TOKEN")).toBe("two");
    expect(calls().length).toBe(3);
  });

  it.each([
    ["keychain:TOKEN", "secret-tool ended with code 1", "anygpt mcp secret set TOKEN"],
    ["op://a/b/c", 'op ended with code 44: "no such entry"', "op signin"],
    ["vault:a#b", 'vault ended with code 44: "no such entry"', "vault login"],
    [node("console.error(`canary`); process.exit(3)"), `${process.execPath} ended with code 3`, "in a terminal"],
    [node("0"), `${process.execPath} printed nothing`, "in a terminal"],
    ["command:no-such-program x", "the program no-such-program was not found", "full path"],
    [node("process.stdout.write(`x`.repeat(100000))"), "printed more than 64 KiB", "in a terminal"],
  ])("%s without a value reports the reason and the next action", async (reference, why, hint) => {
    const error = await failureOf(reader().read(reference));
    expect(error.code).toBe("CONFIGURATION_ERROR");
    expect(error.message).toContain(`\${${reference}} cannot be read: `);
    expect(error.message.slice(reference.length + 10)).toContain(why);
    expect(error.hint).toContain(hint);
  });

  it("to a program that does not exit fails after the time limit", async () => {
    const error = await failureOf(reader({ timeoutMs: 200 }).read(node("setInterval(() => 0, 1000)")));
    expect(error.message).toContain("did not end within 0.2 s");
  });

  it("to a tool that is not installed reports how to install it", async () => {
    const error = await failureOf(reader({ env: { PATH: "" } }).read("keychain:TOKEN"));
    expect(error.message).toContain("the program secret-tool was not found");
    expect(error.hint).toContain("apt install libsecret-tools");
  });

  it.each([
    "keychain:",
    "keychain:-w",
    "keychain:a/b/c",
    "keychain:a b",
    "op://a",
    "vault:a",
    "vault:-x#y",
    "command:",
    "command:a 'b",
  ])("%s is rejected as malformed", async (reference) => {
    expect((await failureOf(reader().read(reference))).message).toContain("is malformed");
  });

  it("to the keychain of Windows is reported as not supported", async () => {
    const error = await failureOf(reader({ platform: "win32" }).read("keychain:TOKEN"));
    expect(error.message).toBe("The Windows keychain is not supported.");
  });
});

describe("the keychain", () => {
  it.each(["linux", "darwin"] as const)(
    "of %s is written through standard input, read and removed",
    async (platform) => {
      const keychain = openKeychain({ env, cwd: folder, platform });
      expect(await keychain.read("TOKEN")).toBeUndefined();
      await keychain.write("TOKEN", 'it\'s a "secret" ☂'.replace("☂", "x"));
      expect(await keychain.read("TOKEN")).toBe('it\'s a "secret" x');
      await keychain.write("TOKEN", "other");
      expect(await keychain.read("TOKEN")).toBe("other");
      await keychain.remove("TOKEN");
      expect(await keychain.read("TOKEN")).toBeUndefined();
      expect(calls().join("\n")).not.toMatch(/secret"|other/);
    },
  );

  it("rejects values that it cannot store, and the removal of a missing entry", async () => {
    const keychain = openKeychain({ env, cwd: folder, platform: "linux" });
    expect((await failureOf(keychain.write("TOKEN", "a\nb"))).code).toBe("INVALID_REQUEST");
    expect((await failureOf(keychain.remove("TOKEN"))).message).toBe("The keychain has no entry TOKEN.");
  });
});
