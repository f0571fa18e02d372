import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSecrets } from "../../util/secrets.js";
import { createStderrLog, MAX_STDERR_LOG_BYTES, openStderrLog, stderrLogFile } from "./stderr-log.js";

const SECRET = "s3cret-token-0123456789";
const AT = Date.parse("2026-01-01T10:00:00.000Z");
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "anygpt-log-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(file = join(folder, "logs/a.log")) {
  const secrets = createSecrets();
  secrets.note(SECRET);
  const log = createStderrLog({ file, redact: secrets.redact, now: () => AT });
  return { push: (text: string) => log.push(Buffer.from(text)), end: () => log.end(), file };
}

const textOf = (file: string): string[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .slice(1, -1)
    .map((row) => row.slice(25));

describe("createStderrLog", () => {
  it("writes complete lines with the time and without secrets", () => {
    const log = open();
    log.push("one\ntoken s3cret-to");
    log.push("ken-0123456789 refused\n");
    log.end();
    expect(textOf(log.file)).toEqual(["one", "token *** refused"]);
  });

  it.skipIf(process.platform === "win32")("creates a file that only its owner can read", () => {
    const log = open();
    log.push("one\n");
    log.end();
    expect(statSync(log.file).mode & 0o777).toBe(0o600);
  });

  it.each([1, 7, 12, SECRET.length])(
    "writes no part of a secret that the size limit splits after %i characters",
    (within) => {
      const log = open();
      const before = "first\n";
      log.push(`${before}${"x".repeat(64 * 1024 - before.length - within)}${SECRET} rest\nnext\n`);
      log.end();
      const lines = textOf(log.file);
      expect(lines[0]).toBe("first");
      expect(lines.join("\n")).not.toContain("s3");
      expect(lines.join("\n")).not.toContain("6789");
      expect(lines.at(-1)).toMatch(/^\[\d+ bytes were dropped/);
    },
  );

  it("continues after the line whose beginning was dropped", () => {
    const log = open();
    log.push(`${"x".repeat(64 * 1024)}s3cret-to`);
    log.push("ken-0123456789");
    log.push(" rest\nnext\n");
    log.end();
    log.push("later\n");
    log.end();
    expect(readFileSync(log.file, "utf8")).not.toMatch(/s3|6789|xx/);
    expect(textOf(log.file).at(-1)).toBe("later");
  });

  it("keeps one older file when the file is full", () => {
    const log = open(join(folder, "a.log"));
    writeFileSync(log.file, `${"x".repeat(MAX_STDERR_LOG_BYTES)}\n`);
    writeFileSync(`${log.file}.1`, "oldest\n");
    log.push("new\n");
    log.end();
    expect(textOf(log.file)).toEqual(["new"]);
    expect(readFileSync(`${log.file}.1`, "utf8")).not.toContain("oldest");
    expect(existsSync(`${log.file}.2`)).toBe(false);
  });
});

describe("openStderrLog", () => {
  const parts = { redact: (text: string) => text };
  it.each([
    [true, "stdio", true],
    [false, "stdio", false],
    [true, "http", false],
  ] as const)("with keepLogs %s and a %s server: %s", (keepLogs, kind, expected) => {
    const log = openStderrLog({ server: "a", options: { keepLogs }, logFolder: folder }, { kind }, parts);
    expect(log !== undefined).toBe(expected);
  });

  it("derives the file name from the server name, whatever characters it contains", () => {
    expect(stderrLogFile(folder, "a:b/c")).toBe(join(folder, "a%3Ab%2Fc.log"));
  });
});
