// Servers send list_changed notifications in bursts, after every list, or after real changes: the gateway limits how
// often it requests the list, and never misses the last change.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { waitFor } from "../../support/deadline.js";
import { type Gateway, openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const SERVER = fileURLToPath(new URL("../../support/changing-server.mjs", import.meta.url));
const BURST = 200;
const CHANGES = 3;
const ECHOES_MS = [5, 1200];
const SETTLED_MS = 1500;

/** `count`: seconds for which a server sends a notification after every list. */
export async function listStorms({ count, dist }: RowOptions): Promise<RowResult> {
  const violations: string[] = [];
  const figures: Record<string, number> = {};
  const scene = async (name: string, maxLists: number, play: (gateway: Gateway, home: FaultHome) => Promise<void>) => {
    await inHome(async (home) => {
      home.configure({ s: { command: process.execPath, args: [SERVER, home.folder] } });
      const gateway = await openGateway(home, { dist });
      await act(gateway, "burst", { times: 0 });
      const before = countLists(home);
      await play(gateway, home);
      const lists = countLists(home) - before;
      figures[`${name}: lists`] = lists;
      if (lists > maxLists) violations.push(`${name}: ${lists} lists, at most ${maxLists} are allowed`);
      if (lists === 0) violations.push(`${name}: the gateway did not list the tools again`);
      await gateway.close();
    });
  };
  await scene(`a burst of ${BURST}`, 2, async (gateway) => {
    await act(gateway, "burst", { times: BURST });
    await passes(SETTLED_MS);
  });
  for (const ms of ECHOES_MS) {
    // One a second, and twenty a minute.
    await scene(`one ${ms} ms after every list`, Math.min(count + 1, 20), async (gateway) => {
      await act(gateway, "echo", { ms });
      await passes(count * 1000);
    });
  }
  await scene(`${CHANGES} changes within a second`, CHANGES + 1, async (gateway) => {
    await act(gateway, "change", { times: CHANGES, every: 300 });
    const isThere = async (): Promise<boolean> => (await toolsOf(gateway)).includes(`added${CHANGES}`);
    await waitFor(isThere, "last change in the list", SETTLED_MS * 2).catch(() =>
      violations.push("the last change was lost"),
    );
  });
  const n = BURST + CHANGES + ECHOES_MS.length;
  return { title: "list_changed notifications", n, injected: n, violations, figures };
}

const passes = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function act(gateway: Gateway, tool: string, args: object): Promise<void> {
  const outcome = await gateway.execute({ server: "s", tool, arguments: args });
  if (outcome.kind !== "answer") throw new Error(`The tool ${tool} was not called: ${JSON.stringify(outcome)}`);
}

async function toolsOf(gateway: Gateway): Promise<string> {
  const outcome = await gateway.request("tools/call", { name: "list_tools", arguments: { server: "s" } });
  return JSON.stringify(outcome);
}

function countLists(home: FaultHome): number {
  const file = home.path("lists.log");
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
}
