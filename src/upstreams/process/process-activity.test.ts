import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, it } from "vitest";
import { eventually } from "../../../test/support/eventually.js";
import { createProcessActivity } from "./process-activity.js";

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
  const watched: number[] = [];
  const activity = createProcessActivity({
    watch: (pid) => watched.push(pid),
    detach: () => undefined,
    forget: () => undefined,
    close: () => undefined,
  });
  activity.reaper.watch(child.pid!);
  expect(watched).toEqual([child.pid]);
  return activity;
}

const quoted = (code: string): string => `"${process.execPath}" -e "${code}"`;

it.runIf(process.platform === "linux").each([
  ["uses the processor", process.execPath, ["-e", BUSY]],
  ["waits for a child that uses the processor", "sh", ["-c", `${quoted(BUSY)}; true`]],
])("reports a process that %s as active", async (_, command, args) => {
  const { isActive } = await watch(command, args);
  await eventually(() => isActive() === true);
  for (let look = 0; look < 20; look += 1) {
    await new Promise(setImmediate);
    expect(isActive()).toBe(true);
  }
});

it.runIf(process.platform === "linux").each([
  ["does nothing", process.execPath, ["-e", STILL]],
  ["waits for an idle child", "sh", ["-c", `${quoted(STILL)}; true`]],
])("reports a process that %s as inactive", async (_, command, args) => {
  const { isActive } = await watch(command, args);
  expect(isActive()).toBe(true);
  await eventually(() => isActive() === false);
});

it("returns undefined for a process that does not exist", () => {
  const { isActive } = createProcessActivity({
    watch: () => undefined,
    detach: () => undefined,
    forget: () => undefined,
    close: () => undefined,
  });
  expect(isActive()).toBeUndefined();
});
