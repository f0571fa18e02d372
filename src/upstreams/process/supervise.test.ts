import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createStderrRing } from "./stderr-ring.js";
import { superviseProcess } from "./supervise.js";

/** More than the system takes for a process that does not read. */
const MUCH = "x".repeat(1_000_000);

/** A process that lives and reads nothing. */
async function open() {
  const child = superviseProcess({
    command: process.execPath,
    args: ["-e", "setInterval(() => undefined, 60_000)"],
    env: {},
    maxLineBytes: 1000,
    writeTimeoutMs: 60_000,
    stderr: createStderrRing((text) => text),
    reaper: { watch: () => undefined, letGo: () => undefined, forget: () => undefined, close: () => undefined },
    onLine: () => undefined,
    onOverflow: () => undefined,
    onExit: () => undefined,
  });
  await child.started;
  return child;
}

/** Nobody hears of its end before the next turn. */
function killUnheard(pid: number): void {
  process.kill(pid, "SIGKILL");
  while (readdirSync(`/proc/${pid}/task`).length > 1 || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8")));
}

it.runIf(process.platform === "linux").each([
  ["of little, refuses it", [], "a\n", "refused"],
  ["of much, may have taken a part", [], MUCH, "closed"],
  ["of little behind what it has not read, may have taken a part", [MUCH], "a\n", "closed"],
])("a process that is dead before anybody knows, %s", async (_, before, text, expected) => {
  const child = await open();
  const earlier = before.map((one) => child.write(one));
  await new Promise(setImmediate);
  killUnheard(child.pid!);
  expect(await child.write(text)).toBe(expected);
  expect(await Promise.all(earlier)).toEqual(before.map(() => "closed"));
  expect(await child.write("b\n")).toBe("refused");
  await child.stop();
});
