// One of 50 tools is broken, in one way after another: the other tools are available, and the gateway reports the broken
// one.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { withDeadline } from "../../support/deadline.js";
import { openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { endingOf, listServers, plainTool, scripted } from "../../support/scripted.js";

const LAUNCH = fileURLToPath(new URL("../../support/launch.mjs", import.meta.url));
const LIMIT_MS = 60_000;
const TOOLS = 50;

const BROKEN: Readonly<Record<string, unknown>> = {
  "a schema of null": { name: "broken", inputSchema: null },
  "a schema of text": { name: "broken", inputSchema: "object" },
  "a schema that is a list": { name: "broken", inputSchema: [] },
  "an output schema of text": { name: "broken", inputSchema: {}, outputSchema: "x" },
  "no name": { inputSchema: { type: "object" } },
  "a name that is a number": { name: 7, inputSchema: { type: "object" } },
  "an empty name": { name: "", inputSchema: { type: "object" } },
  "a description that is a number": { name: "broken", description: 7, inputSchema: { type: "object" } },
  "annotations of text": { name: "broken", inputSchema: { type: "object" }, annotations: "x" },
  "nothing at all": null,
  "a number": 42,
  "the name of another": { name: "t0", inputSchema: { type: "object" } },
  "100 levels": `{"name":"broken","inputSchema":${'{"not":'.repeat(100)}{}${"}".repeat(100)}}`,
};

/** `count`: how many kinds of broken tools are tried. */
export async function oneBadTool({ count, dist }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const kinds = Object.entries(BROKEN).slice(0, count);
    const good = Array.from({ length: TOOLS - 1 }, (_, n) => plainTool(`t${n}`));
    const servers = kinds.map(([, broken], n): [string, object] => [
      `s${n}`,
      // In the middle: the tools before and after it must be listed.
      scripted(home, `s${n}`, { tools: good.toSpliced(20, 0, broken as never) }),
    ]);
    home.configure(Object.fromEntries(servers));
    const violations: string[] = [];
    const gateway = await openGateway(home, { dist });
    let served = 0;
    for (const [n, [what]] of kinds.entries()) {
      const first = await gateway.execute({ server: `s${n}`, tool: "t0", arguments: {} });
      const last = await gateway.execute({ server: `s${n}`, tool: `t${TOOLS - 2}`, arguments: {} });
      const listed = (await listServers(gateway)).find(({ name }) => name === `s${n}`);
      if (first.kind !== "answer" || last.kind !== "answer")
        violations.push(`with ${what}, calls end in ${endingOf(first)} and ${endingOf(last)}`);
      if (listed?.toolCount !== TOOLS - 1) violations.push(`with ${what} there are ${listed?.toolCount} tools`);
      served += listed?.toolCount ?? 0;
    }
    await gateway.close();
    violations.push(...(await findUnreported(home, dist, kinds)));
    return {
      title: `one broken tool among ${TOOLS}`,
      n: kinds.length * TOOLS,
      injected: kinds.length,
      violations,
      figures: { "kinds of broken tools": kinds.length, "tools served": `${served}/${kinds.length * (TOOLS - 1)}` },
    };
  });
}

/** `doctor` reports which tools were dropped, and why. */
async function findUnreported(
  home: FaultHome,
  dist: string,
  kinds: readonly (readonly [string, unknown])[],
): Promise<string[]> {
  const words = [LAUNCH, dist, "anygpt", "mcp", "doctor", "--json", "--config", home.config];
  const child = spawn(process.execPath, words, {
    env: home.env,
    cwd: home.folder,
    stdio: ["ignore", "pipe", "ignore"],
  });
  home.own(child);
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += String(chunk)));
  await withDeadline(new Promise((resolve) => child.once("close", resolve)), LIMIT_MS, "the check of all servers");
  const { servers } = JSON.parse(said) as { servers: { server: string; dropped?: { reason: string }[] }[] };
  return kinds.flatMap(([what], n) => {
    const dropped = servers.find(({ server }) => server === `s${n}`)?.dropped ?? [];
    return dropped.length === 1 && (dropped[0]?.reason.length ?? 0) > 10 ? [] : [`doctor does not report ${what}`];
  });
}
