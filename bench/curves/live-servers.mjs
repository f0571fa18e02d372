import { join } from "node:path";
import { mapAtOnce } from "../support/at-once.mjs";
import { runFork } from "../support/fork.mjs";
import { createHome, createWarmHome } from "../support/home.mjs";
import { DISCOVERY, ECHO, ROOT } from "../support/places.mjs";
import { privateMegabytes } from "../support/processes.mjs";
import { withServer } from "../support/stdio-server.mjs";

const COUNTS = [1, 10, 50, 100];
const AT_ONCE = 4;
const SERVER = { command: process.execPath, args: [ECHO] };
const CHILD = join(ROOT, "bench/children/sdk-clients.mjs");
const TOOL = {
  name: "echo",
  description: "Gives the text back.",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  annotations: { readOnlyHint: true },
};

/** A gateway and, for comparison, a process with SDK clients, both of which connect to more and more servers. */
export async function measureLive(context) {
  const seen = COUNTS.map((count) => ({ count, openMs: [], megabytes: [], sdk: [] }));
  for (let round = 0; round < context.rounds(3, 1); round += 1) {
    console.error(`  ${COUNTS.at(-1)} open, round ${round + 1}`);
    const ours = await openThroughGateway(context);
    const { env } = createHome(context.folder, {});
    const sdk = await runFork(CHILD, { server: SERVER, counts: COUNTS, atOnce: AT_ONCE, env });
    for (const [index, one] of seen.entries()) {
      one.openMs.push(ours[index].openMs);
      one.megabytes.push(ours[index].megabytes);
      one.sdk.push(sdk[index]);
    }
  }
  return seen;
}

async function openThroughGateway(context) {
  const names = Array.from({ length: COUNTS.at(-1) }, (_, index) => `echo-${index}`);
  const home = await createWarmHome(context, new Map(names.map((name) => [name, [TOOL]])));
  return await withServer([DISCOVERY, "--config", home.config], home.env, async (server) => {
    await server.callText("list_mcp_servers", {});
    // This rejected call loads all code that calls need, so that later memory growth comes from connections only.
    await server.callText("execute_tool", { server: names[0], tool: "echo", arguments: {} });
    const before = privateMegabytes(server.pid);
    const seen = [];
    let opened = 0;
    for (const count of COUNTS) {
      const missing = names.slice(opened, count);
      const started = performance.now();
      await mapAtOnce(missing, AT_ONCE, (name) => callEcho(server, name));
      seen.push({
        openMs: (performance.now() - started) / missing.length,
        megabytes: privateMegabytes(server.pid) - before,
      });
      opened = count;
    }
    return seen;
  });
}

async function callEcho(server, name) {
  const text = await server.callText("execute_tool", { server: name, tool: "echo", arguments: { text: "hello" } });
  if (text !== "hello") throw new Error(`The echo of ${name} came back as ${text}.`);
}
