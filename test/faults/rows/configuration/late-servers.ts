// No server is reachable at start. The gateway keeps running, reports the reason, and connects to each server as soon as
// it is reachable.
import { chmodSync, writeFileSync } from "node:fs";
import { testServer } from "../../../support/gateway.js";
import { waitFor } from "../../support/deadline.js";
import { type Gateway, openGateway } from "../../support/gateway.js";
import { inHome } from "../../support/home.js";
import { freePorts, openPlainRemote } from "../../support/plain-remote.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { listServers, plainTool } from "../../support/scripted.js";

const LIMIT_MS = 90_000;
/** The longest pause between two connection attempts to a failing server. */
const BACKOFF_CAP_MS = 30_000;
/** From this number of servers on, half of them are left to the gateway's own retry, which takes half a minute. */
const MANY = 20;

/** `count`: the number of servers. */
export async function lateServers({ count, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const ports = await freePorts(count - 1);
    const program = home.path("late-program");
    const remote = ports.map((port, n): [string, object] => [`remote${n}`, { url: `http://127.0.0.1:${port}/mcp` }]);
    home.configure({ program: { command: program }, ...Object.fromEntries(remote) });
    const gateway = await openGateway(home, { dist });
    const failed = await waitFor(
      async () => allFailed(await listServers(gateway), count),
      "list of failures",
      LIMIT_MS,
    );
    const violations = failed.flatMap(({ name, reason = "" }) => (reason.length > 10 ? [] : [`${name} has no reason`]));
    onProgress?.(`all ${count} servers are unreachable; now they start`);
    const { command, args } = testServer("echo.mjs", home.folder);
    writeFileSync(program, `#!/bin/sh\nexec "${command}" ${args.map((word) => `"${word}"`).join(" ")}\n`);
    chmodSync(program, 0o700);
    const servers = await Promise.all(ports.map((port) => openPlainRemote({ port, tool: ADD, answer: () => "3" })));
    const from = performance.now();
    const names = ["program", ...remote.map(([name]) => name)];
    const left = count >= MANY ? names.slice(names.length / 2) : [];
    const asked = names.filter((name) => !left.includes(name));
    const ms = await Promise.all(asked.map(async (name) => (await connected(gateway, name)) - from));
    if (left.length > 0) {
      onProgress?.(`${left.length} servers wait for the gateway's own retry, which takes half a minute`);
      const isKnown = async () =>
        (await listServers(gateway)).filter(({ toolCount }) => toolCount > 0).length === count;
      await waitFor(isKnown, "list of servers that the gateway's retries reached", LIMIT_MS);
    }
    const byItselfMs = performance.now() - from;
    const late = ms.filter((one) => one > BACKOFF_CAP_MS).length;
    if (late > 0) violations.push(`${late} servers were reached later than ${BACKOFF_CAP_MS} ms after they appeared`);
    await gateway.close();
    for (const server of servers) server.close();
    return {
      title: "servers that become reachable after the start",
      n: count,
      injected: count,
      violations,
      figures: {
        "reached by a call": asked.length,
        "reached by retries": left.length,
        ...(left.length === 0 ? {} : { "all reached by retries after, ms": Math.round(byItselfMs) }),
      },
      times: { of: "from the start of a server to its first answered call", ms },
    };
  });
}

type Listed = Awaited<ReturnType<typeof listServers>>;

function allFailed(servers: Listed, count: number): Listed | undefined {
  return servers.length === count && servers.every(({ status }) => status === "error") ? servers : undefined;
}

async function connected(gateway: Gateway, server: string): Promise<number> {
  return await waitFor(
    async () => {
      const { kind } = await gateway.execute({ server, tool: "add", arguments: { a: 1, b: 2 } });
      return kind === "answer" && performance.now();
    },
    `answer of ${server}`,
    LIMIT_MS,
  );
}

const ADD = plainTool("add");
