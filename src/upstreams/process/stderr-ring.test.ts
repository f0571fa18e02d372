import { expect, it } from "vitest";
import { createRedact } from "../redact.js";
import { createStderrRing } from "./stderr-ring.js";

function lines(...chunks: string[]): readonly string[] {
  const ring = createStderrRing(createRedact(["s3cret-token"]));
  for (const chunk of chunks) ring.push(Buffer.from(chunk));
  return ring.lines();
}

it.each([
  ["joins what came in pieces", ["one\ntw", "o\r\nthree"], ["one", "two", "three"]],
  ["leaves out empty lines", ["\n\none\n\n"], ["one"]],
  [
    "strips terminal sequences and control characters",
    ["\u001b[31mred\u001b[0m\u0007 \u001b]8;;http://x\u0007link\u001b]8;;\u0007\n"],
    ["red link"],
  ],
  ["hides the server's secrets", ["token s3cret-token refused\n"], ["token *** refused"]],
  ["cuts long lines", [`${"x".repeat(600)}\n`], ["x".repeat(500)]],
])("%s", (_name, chunks, expected) => {
  expect(lines(...chunks)).toEqual(expected);
});

it("keeps the last 64 KiB of a flood, however large the pieces", () => {
  for (const piece of [100, 70_000]) {
    const ring = createStderrRing((text) => text);
    for (let written = 0; written < 1_000_000; written += piece) ring.push(Buffer.from(`${"x".repeat(piece - 1)}\n`));
    ring.push(Buffer.from("last\n"));
    expect(ring.lines().at(-1)).toBe("last");
    expect(ring.lines().join("\n").length).toBeLessThanOrEqual(64 * 1024 + 5);
  }
});
