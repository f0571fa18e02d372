import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openSignInPlace, type SignInPlace } from "../../../test/support/sign-in.js";
import type { Work } from "../../../test/support/sign-in-process.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const PROGRAM = join(ROOT, "node_modules", ".anygpt-test", `sign-in-process-${process.pid}.mjs`);

beforeAll(async () => {
  await build({
    absWorkingDir: ROOT,
    entryPoints: ["test/support/sign-in-process.ts"],
    outfile: PROGRAM,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    logLevel: "warning",
  });
});
afterAll(() => rm(PROGRAM, { force: true }));

let place: SignInPlace;
const children: ChildProcess[] = [];
beforeEach(async () => {
  place = await openSignInPlace();
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  await place.close();
});

function start(): ChildProcess {
  const child = fork(PROGRAM, { execArgv: [] });
  children.push(child);
  return child;
}

async function sendRequests(child: ChildProcess, requests: number): Promise<string[]> {
  const answered = once(child, "message") as Promise<[string[]]>;
  child.send({ folder: place.folder, url: place.server.url, requests } satisfies Work);
  return (await answered)[0];
}

describe("several processes with one sign-in", () => {
  it("renew it once when all their requests are rejected at the same time, and delete nothing", async () => {
    await place.login();
    place.authorization.endAccessTokens();
    place.server.holdRefusals(48);
    const gateways = [start(), start(), start(), start()];
    const answers = await Promise.all(gateways.map((gateway) => sendRequests(gateway, 12)));
    expect(answers.flat()).toEqual(Array.from({ length: 48 }, () => "200"));
    expect(place.authorization.refreshes()).toBe(1);
    expect(await place.store.credentials.find(place.holding())).toMatchObject({ isRefused: false });
  });

  it("do not wait for a process that was killed during the renewal", async () => {
    await place.login();
    place.authorization.endAccessTokens();
    const killed = start();
    let isFirst = true;
    place.authorization.switches.beforeRefresh = async () => {
      if (!isFirst) return true;
      isFirst = false;
      const ended = once(killed, "exit");
      killed.kill("SIGKILL");
      await ended;
      return false;
    };
    void sendRequests(killed, 1).catch(() => undefined);
    await once(killed, "exit");
    expect(await sendRequests(start(), 3)).toEqual(["200", "200", "200"]);
    expect(place.authorization.refreshes()).toBe(2);
  });
});
