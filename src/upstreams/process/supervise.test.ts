import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createStderrRing } from "./stderr-ring.js";
import { superviseProcess } from "./supervise.js";

/** More than a pipe accepts while the process does not read. */
const LONG_TEXT = "x".repeat(1_000_000);

/** A process that runs and does not read its input. */
async function open() {
  const child = superviseProcess({
    command: process.execPath,
    args: ["-e", "setInterval(() => undefined, 60_000)"],
    env: {},
    maxLineBytes: 1000,
    writeTimeoutMs: 60_000,
    stderr: createStderrRing((text) => text),
    reaper: { watch: () => undefined, detach: () => undefined, forget: () => undefined, close: () => undefined },
    onLine: () => undefined,
    onOverflow: () => undefined,
    onExit: () => undefined,
  });
  await child.started;
  return child;
}

/** Waits synchronously, so that Node cannot report the exit before the next turn of the event loop. */
function killUnnoticed(pid: number): void {
  process.kill(pid, "SIGKILL");
  while (readdirSync(`/proc/${pid}/task`).length > 1 || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8")));
}

it.runIf(process.platform === "linux").each([
  ["has not received a short text", [], "a\n", "refused"],
  ["may have received a part of a long text", [], LONG_TEXT, "closed"],
  ["may have received a part of a short text behind unread input", [LONG_TEXT], "a\n", "closed"],
])("a killed process whose exit is not reported yet: %s", async (_, before, text, expected) => {
  const child = await open();
  const earlier = before.map((one) => child.write(one));
  await new Promise(setImmediate);
  killUnnoticed(child.pid!);
  expect(await child.write(text)).toBe(expected);
  expect(await Promise.all(earlier)).toEqual(before.map(() => "closed"));
  expect(await child.write("b\n")).toBe("refused");
  await child.stop();
});
