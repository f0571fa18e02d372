import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { createTar } from "nanotar";
import { afterAll, describe, expect, it } from "vitest";
import { createTestKey, NOW, sampleFile, signed, stdioFile } from "../../../test/support/signed-files.js";
import { toKeyLine } from "../keys/key-line.js";
import { readArchive, toArchive } from "./archive.js";
import type { Bundle } from "./bundle.js";
import { readBundleFolder, writeBundleFolder } from "./bundle-folder.js";

const ANN = createTestKey();
const { keyId, publicKey, name } = ANN.known;
const FILE = signed(sampleFile(), ANN.signing, NOW);
const BUNDLE: Bundle = {
  files: [
    { toolId: "fs_find", bytes: signed(stdioFile(), ANN.signing, NOW) },
    { toolId: "lib_find", bytes: FILE },
  ],
  keys: [{ keyId, publicKey, name }],
};
const KEY = { name: `keys/${keyId}.pub`, data: `${toKeyLine(ANN.known)}\n` };
const TOOL = { name: "tools/lib_find.yaml", data: FILE };

const folder = mkdtempSync(join(tmpdir(), "anygpt-archive-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pack = (...files: Parameters<typeof createTar>[0]): Buffer => gzipSync(createTar(files));
/** The archive with one header changed and the checksum updated. */
function withHeader(change: (header: Buffer) => void): Buffer {
  const tar = Buffer.from(createTar([TOOL, KEY]));
  change(tar.subarray(0, 512));
  tar.fill(0x20, 148, 156);
  const sum = tar.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  tar.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return gzipSync(tar);
}

describe("an archive", () => {
  it("is read back unchanged, and is the same for the same set", async () => {
    const archive = await toArchive(BUNDLE);
    expect(await readArchive(archive, "a.tgz")).toEqual(BUNDLE);
    expect((await toArchive(BUNDLE)).equals(archive)).toBe(true);
  });

  it("contains sets of any size up to the limit", async () => {
    const files = Array.from({ length: 300 }, (_, index) => ({ toolId: `tool_${index}`, bytes: FILE }));
    const sorted = files.toSorted((a, b) => (a.toolId < b.toolId ? -1 : 1));
    expect((await readArchive(await toArchive({ ...BUNDLE, files }), "a.tgz")).files).toEqual(sorted);
  });

  const header = (name: string) => withHeader((bytes) => bytes.fill(0, 0, 100).write(name, 0));
  it.each([
    ["bytes that are not gzip", Buffer.from("hello"), "not a gzip archive"],
    ["truncated gzip data", gzipSync("x".repeat(100)).subarray(0, 20), "not a gzip archive"],
    ["no entries", pack(), "it contains no tool file"],
    ["keys alone", pack(KEY), "it contains no tool file"],
    ["a path that leaves the folder", header("tools/../../x.yaml"), "neither a tool file nor a key"],
    ["an absolute path", header("/etc/x.yaml"), "neither a tool file nor a key"],
    ["a Windows path", header("tools\\..\\x.yaml"), "neither a tool file nor a key"],
    ["a nested folder", header("tools/a/b.yaml"), "neither a tool file nor a key"],
    ["a name that is not a tool id", header("tools/Lib Find.yaml"), "neither a tool file nor a key"],
    ["a device name", header("tools/con.yaml"), "neither a tool file nor a key"],
    ["a hidden file", header("tools/.x.yaml"), "neither a tool file nor a key"],
    ["another file", pack(TOOL, KEY, { name: "README.md", data: "hi" }), '"README.md", which is neither'],
    ["the same file twice", pack(TOOL, TOOL, KEY), '"tools/lib_find.yaml" twice'],
    ["a folder", pack(TOOL, { name: "tools" }), "entries that are not regular files"],
    ["a symbolic link", withHeader((bytes) => bytes.write("2", 156)), "entries that are not regular files"],
    ["a hard link", withHeader((bytes) => bytes.write("1", 156)), "entries that are not regular files"],
    ["a regular file with a link target", withHeader((bytes) => bytes.write("/etc/passwd", 157)), "it contains a link"],
    ["a name prefix", withHeader((bytes) => bytes.write("prefix", 345)), "a name that is too long"],
    ["a GNU long-name entry", withHeader((bytes) => bytes.write("L", 156)), "entries that are not regular files"],
    ["a pax header entry", withHeader((bytes) => bytes.write("x", 156)), "entries that are not regular files"],
    ["an invalid size", withHeader((bytes) => bytes.write("99999999999", 124)), "it is damaged"],
    ["a size beyond its end", withHeader((bytes) => bytes.write("00001777777", 124)), "it is truncated"],
    ["a file that is too large", withHeader((bytes) => bytes.write("77777777777", 124)), "a file that is too large"],
    ["a changed header", gzipSync(Buffer.from(createTar([TOOL])).fill("x", 1, 2)), "it is damaged"],
    ["data after its end", gzipSync(Buffer.concat([createTar([TOOL]), Buffer.from("x")])), "data after its end"],
    [
      "a key under another name",
      pack(TOOL, { ...KEY, name: `keys/${"0".repeat(32)}.pub` }),
      "differs from the file name",
    ],
    ["an invalid key", pack(TOOL, { ...KEY, data: "ssh-ed25519 AAAA" }), "is not a public key"],
    ["a decompression bomb", gzipSync(Buffer.alloc(65 * 1024 * 1024)), "it unpacks to more than 64 MiB"],
  ])("with %s is rejected", async (_name, bytes, reason) => {
    await expect(readArchive(bytes, "a.tgz")).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringMatching(/^a\.tgz is not a valid set of tool files: /) as string,
    });
    await expect(readArchive(bytes, "a.tgz")).rejects.toThrow(reason);
  });

  it("with too many files is rejected", async () => {
    const many = Array.from({ length: 10_001 }, (_, index) => ({ name: `tools/t${index}.yaml`, data: "x" }));
    await expect(readArchive(pack(...many), "a.tgz")).rejects.toThrow("it contains more than 10000 files");
  });
});

describe("a folder", () => {
  const here = (part: string): string => join(folder, part);
  const write = async (part: string): Promise<string> => {
    await writeBundleFolder(here(part), BUNDLE);
    return here(part);
  };

  it("is read back unchanged", async () => {
    expect(await readBundleFolder(await write("good"), "good")).toEqual(BUNDLE);
    expect(readdirSync(here("good"))).toEqual(["keys", "tools"]);
  });

  it("is not written into a folder that is not empty", async () => {
    await write("taken");
    await expect(writeBundleFolder(here("taken"), BUNDLE)).rejects.toThrow("exists and is not an empty folder");
  });

  it.each([
    ["another file", (path: string) => writeFileSync(join(path, "README.md"), "x"), "only tools and keys are allowed"],
    ["another file among the tools", (path: string) => writeFileSync(join(path, "tools/x.txt"), "x"), "neither a tool"],
    ["a link", (path: string) => symlinkSync("/etc/passwd", join(path, "tools/x.yaml")), "is not a regular file"],
    ["a folder among the tools", (path: string) => mkdirSync(join(path, "tools/x.yaml")), "is not a regular file"],
    [
      "a large file",
      (path: string) => writeFileSync(join(path, "tools/x.yaml"), Buffer.alloc(600_000)),
      "is too large",
    ],
  ])("with %s is rejected", async (name, spoil, reason) => {
    const path = await write(name);
    spoil(path);
    await expect(readBundleFolder(path, "set")).rejects.toThrow(reason);
  });

  it("with a link is rejected", async () => {
    const path = await write("linked");
    mkdirSync(here("half"));
    symlinkSync(join(path, "tools"), here("half/tools"));
    await expect(readBundleFolder(here("half"), "set")).rejects.toThrow("is not a regular folder");
  });
});
