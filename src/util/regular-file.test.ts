import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  openRegularFile,
  readRegularFile,
  readRegularFileSync,
  readRegularText,
  readRegularTextSync,
} from "./regular-file.js";

const folder = mkdtempSync(join(tmpdir(), "anygpt-regular-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);

writeFileSync(at("text"), "é1");
writeFileSync(at("large"), Buffer.alloc(200_000, 7));
mkdirSync(at("folder"));
symlinkSync(at("text"), at("link"));

const codeOf = (read: () => unknown): Promise<unknown> =>
  Promise.resolve()
    .then(read)
    .then(
      () => "was read",
      (error: { code?: unknown }) => error.code,
    );

describe.each([
  ["readRegularFile", readRegularFile],
  ["readRegularFileSync", readRegularFileSync],
])("%s", (_name, read) => {
  it("reads a regular file, also through a link and in several parts", async () => {
    expect(Buffer.from(await read(at("text"))).toString("utf8")).toBe("é1");
    expect(Buffer.from(await read(at("link"))).toString("utf8")).toBe("é1");
    expect((await read(at("large"))).equals(Buffer.alloc(200_000, 7))).toBe(true);
    expect((await read(at("large"), { maxBytes: 200_000 })).length).toBe(200_000);
  });

  it("reports what it does not read", async () => {
    expect(await codeOf(() => read(at("missing")))).toBe("ENOENT");
    expect(await codeOf(() => read(at("folder")))).toBe("EISDIR");
    expect(await codeOf(() => read(at("text"), { maxBytes: 2 }))).toBe("TOO_LARGE");
  });

  it.skipIf(process.platform === "win32")("does not wait for a named pipe, and refuses devices", async () => {
    const pipe = at(`pipe-${read.name}`);
    execFileSync("mkfifo", [pipe]);
    expect(await codeOf(() => read(pipe))).toBe("NOT_A_REGULAR_FILE");
    expect(await codeOf(() => read("/dev/zero"))).toBe("NOT_A_REGULAR_FILE");
    expect(await codeOf(() => read(at("link"), { refusesLink: true }))).toBe("ELOOP");
  });

  it.skipIf(process.platform !== "linux")("stops at the limit in a file that reports no size", async () => {
    expect((await read("/proc/self/status")).length).toBeGreaterThan(100);
    expect(await codeOf(() => read("/proc/self/status", { maxBytes: 100 }))).toBe("TOO_LARGE");
  });
});

it("opens a regular file for partial reading, and reads text", async () => {
  const handle = await openRegularFile(at("text"));
  expect((await handle.stat()).size).toBe(3);
  await handle.close();
  expect(await codeOf(() => openRegularFile(at("folder")))).toBe("EISDIR");
  expect([await readRegularText(at("text")), readRegularTextSync(at("text"))]).toEqual(["é1", "é1"]);
});
