// Commands that do not exist, are not programs, or exit during the handshake, and a gateway without free file
// descriptors.
import { execFileSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { waitFor } from "../../support/deadline.js";
import { type Gateway, openGateway, type Outcome } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { livingOf, quickServer } from "../../support/quick-servers.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const AT_ONCE = 20;
/** More than a call needs, less than a start does. */
const SPARE_DESCRIPTORS = 3;
const STARVED = 10;
const ENOUGH_DESCRIPTORS = 4096;

interface Kind {
  readonly toServer: (home: FaultHome, name: string) => object;
  /** A part of the error message for the caller. */
  readonly says: RegExp;
}

const KINDS: Readonly<Record<string, Kind>> = {
  ENOENT: { toServer: (home) => ({ command: home.path("nothing") }), says: /was not found/ },
  EACCES: { toServer: (home) => ({ command: home.path("plain") }), says: /cannot be executed/ },
  "a folder": { toServer: (home) => ({ command: home.folder }), says: /cannot be executed/ },
  "no folder": { toServer: (home) => ({ command: "sh", cwd: home.path("nowhere") }), says: /working directory/ },
  EPIPE: { toServer: (home, name) => quickServer(home, name, "dies"), says: /exited with code 9/ },
};

/** `count`: how many starts fail. */
export async function failedStarts({ count, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    writeFileSync(home.path("plain"), "#!/bin/sh\n", { mode: 0o600 });
    const kinds = Object.entries(KINDS);
    const servers = Array.from({ length: count }, (_, number) => {
      const [kind, { toServer, says }] = kinds[number % kinds.length]!;
      const name = `s${number}`;
      return { kind, says, name, server: toServer(home, name) };
    });
    home.configure({
      good: quickServer(home, "good"),
      ...Object.fromEntries(servers.map(({ name, server }) => [name, server])),
    });
    const gateway = await openGateway(home, { dist });
    const violations: string[] = [];
    const reported: Record<string, number> = {};
    await expectGood(gateway, "before", violations);
    const outOfFiles = await inHome((other) => starve(other, dist, violations));
    for (let from = 0; from < servers.length; from += AT_ONCE) {
      const batch = servers.slice(from, from + AT_ONCE).map(async ({ name, kind, says }) => {
        const outcome = await gateway.execute({ server: name, tool: "who", arguments: {} });
        if (isReported(outcome, says)) reported[kind] = (reported[kind] ?? 0) + 1;
        else violations.push(`${kind}: ${toWords(outcome)}`);
      });
      await Promise.all(batch);
      if (from % 200 === 0) onProgress?.(`${from} of ${count} starts`);
    }
    await expectGood(gateway, "after", violations);
    if (!gateway.isAlive) violations.push("the gateway has exited");
    await gateway.close();
    if (gateway.exitCode !== 0) violations.push(`the gateway exited with ${gateway.exitCode}`);
    return {
      title: "failed starts",
      n: count + outOfFiles,
      injected: count + outOfFiles,
      violations,
      figures: { ...reported, EMFILE: outOfFiles, "gateways that exited": gateway.exitCode === 0 ? 0 : 1 },
    };
  });
}

/** Limits the file descriptors of a gateway for a while. Returns how many callers got the matching error. */
async function starve(home: FaultHome, dist: string, violations: string[]): Promise<number> {
  const names = Array.from({ length: STARVED }, (_, number) => `starved${number}`);
  home.configure(Object.fromEntries([...names, "good"].map((name) => [name, quickServer(home, name)])));
  const gateway = await openGateway(home, { dist });
  for (const server of names) await gateway.request("tools/call", { name: "list_tools", arguments: { server } });
  await expectGood(gateway, "before", violations);
  await waitFor(() => livingOf(home).length === 1, "end of the connections that listed");
  const limit = (max: number): void => void execFileSync("prlimit", ["--pid", String(gateway.pid), `--nofile=${max}:`]);
  limit(readdirSync(`/proc/${gateway.pid}/fd`).length + SPARE_DESCRIPTORS);
  let reported = 0;
  for (const server of names) {
    const outcome = await gateway.execute({ server, tool: "who", arguments: {} });
    if (isReported(outcome, /too many files are open/)) reported += 1;
    else violations.push(`EMFILE: ${toWords(outcome)}`);
  }
  await expectGood(gateway, "without descriptors", violations);
  limit(ENOUGH_DESCRIPTORS);
  await gateway.close();
  return reported;
}

/** An open connection keeps working. */
async function expectGood(gateway: Gateway, when: string, violations: string[]): Promise<void> {
  const outcome = await gateway.execute({ server: "good", tool: "who", arguments: {} });
  if (outcome.kind !== "answer") violations.push(`${when}: a call to a healthy server ended in ${toWords(outcome)}`);
}

const isReported = (outcome: Outcome, says: RegExp): boolean =>
  outcome.kind === "error" &&
  outcome.code === "SERVER_CONNECTION_ERROR" &&
  outcome.executed === "no" &&
  says.test(String(outcome.error["message"]));

const toWords = (outcome: Outcome): string =>
  outcome.kind === "error" ? `${describe(outcome)}: ${String(outcome.error["message"])}` : describe(outcome);
