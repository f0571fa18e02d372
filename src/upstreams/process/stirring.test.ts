import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, it } from "vitest";
import { eventually } from "../../../test/support/eventually.js";
import { createStirring } from "./stirring.js";

const BUSY = "for (;;);";
const STILL = "setInterval(() => undefined, 60_000)";
const started: ChildProcess[] = [];
afterEach(() => {
  for (const { pid } of started.splice(0)) process.kill(-pid!, "SIGKILL");
});

async function watch(command: string, args: string[]) {
  const child = spawn(command, args, { stdio: "ignore", detached: true });
  await once(child, "spawn");
  started.push(child);
  const heard: number[] = [];
  const stirring = createStirring({
    watch: (pid) => heard.push(pid),
    letGo: () => undefined,
    forget: () => undefined,
    close: () => undefined,
  });
  stirring.reaper.watch(child.pid!);
  expect(heard).toEqual([child.pid]);
  return stirring;
}

const quoted = (code: string): string => `"${process.execPath}" -e "${code}"`;

it.runIf(process.platform === "linux").each([
  ["works", process.execPath, ["-e", BUSY]],
  ["waits for another that works", "sh", ["-c", `${quoted(BUSY)}; true`]],
])("a process that %s is stirring", async (_, command, args) => {
  const { isStirring } = await watch(command, args);
  await eventually(() => isStirring() === true);
  for (let look = 0; look < 20; look += 1) {
    await new Promise(setImmediate);
    expect(isStirring()).toBe(true);
  }
});

it.runIf(process.platform === "linux").each([
  ["does nothing", process.execPath, ["-e", STILL]],
  ["waits for another that does nothing", "sh", ["-c", `${quoted(STILL)}; true`]],
])("a process that %s is not", async (_, command, args) => {
  const { isStirring } = await watch(command, args);
  expect(isStirring()).toBe(true);
  await eventually(() => isStirring() === false);
});

it("nothing is known of a process that is not there", () => {
  const { isStirring } = createStirring({
    watch: () => undefined,
    letGo: () => undefined,
    forget: () => undefined,
    close: () => undefined,
  });
  expect(isStirring()).toBeUndefined();
});
