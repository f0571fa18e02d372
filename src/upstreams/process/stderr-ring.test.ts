import { expect, it } from "vitest";
import { collectGarbage } from "../../../test/support/garbage.js";
import { createSecrets } from "../../util/secrets.js";
import { createStderrRing } from "./stderr-ring.js";

function lines(...chunks: string[]): readonly string[] {
  const secrets = createSecrets();
  secrets.note("s3cret-token");
  const ring = createStderrRing(secrets.redact);
  for (const chunk of chunks) ring.push(Buffer.from(chunk));
  return ring.lines();
}

it.each([
  ["joins lines that arrive in pieces", ["one\ntw", "o\r\nthree"], ["one", "two", "three"]],
  ["omits empty lines", ["\n\none\n\n"], ["one"]],
  [
    "strips terminal sequences and control characters",
    ["\u001b[31mred\u001b[0m\u0007 \u001b]8;;http://x\u0007link\u001b]8;;\u0007\n"],
    ["red link"],
  ],
  ["redacts the server's secrets", ["token s3cret-token refused\n"], ["token *** refused"]],
  ["truncates long lines", [`${"x".repeat(600)}\n`], ["x".repeat(500)]],
])("%s", (_name, chunks, expected) => {
  expect(lines(...chunks)).toEqual(expected);
});

it("keeps the last 64 KiB of a flood, regardless of the chunk size", () => {
  for (const piece of [100, 70_000]) {
    const ring = createStderrRing((text) => text);
    for (let written = 0; written < 1_000_000; written += piece) ring.push(Buffer.from(`${"x".repeat(piece - 1)}\n`));
    ring.push(Buffer.from("last\n"));
    expect(ring.lines().at(-1)).toBe("last");
    expect(ring.lines().join("\n").length).toBeLessThanOrEqual(64 * 1024 + 5);
  }
});

it("shows only the end of a line whose beginning was dropped, because it may begin with a part of a secret", () => {
  const flood = `token s3cret-token ${"x".repeat(64 * 1024 - 10)}`;
  const end = "x".repeat(500);
  expect(lines(`${flood}\nlast\n`)).toEqual([end, "last"]);
  expect(lines(flood.slice(0, 40_000), flood.slice(40_000), "\nlast\n")).toEqual([end, "last"]);
  const short = Array.from({ length: 5 }, () => "y".repeat(16 * 1024 - 5));
  expect(lines(...short.map((line) => `${line}\ntoken s3cret-`), "token\nlast\n")).not.toContain("token");
});

it("uses little more memory than it keeps, even for small chunks", () => {
  const rings = Array.from({ length: 20 }, () => createStderrRing((text) => text));
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  for (let written = 0; written < 100_000; written += 80) {
    for (const ring of rings) ring.push(Buffer.from(`${"x".repeat(79)}\n`));
    // Other buffers take memory from the pool that Node shares between small buffers.
    Buffer.from("y".repeat(2000));
  }
  collectGarbage();
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 * rings.length * 64 * 1024);
  for (const ring of rings) expect(ring.lines()).toHaveLength(819);
});
