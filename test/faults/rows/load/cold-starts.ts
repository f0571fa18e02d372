// First start with 100 servers and 5,000 tools: the catalog is the same, name by name, in whatever order the servers
// answer.
import { createHash } from "node:crypto";
import { READ_RESULT } from "../../../../src/model/built-in.js";
import { type Gateway, openGateway } from "../../support/gateway.js";
import { waitFor } from "../../support/deadline.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { type RemoteLoad, startRemoteLoad, stdioLoad } from "../../support/load-servers.js";
import { quantile } from "../../support/measure.js";
import { createRandom } from "../../support/random.js";
import { describe } from "../../support/replay.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { listServers } from "../../support/scripted.js";

const SHARES = { stdio: 12, http: 68, api: 20 };
const SERVERS = SHARES.stdio + SHARES.http + SHARES.api;
const TOOLS_EACH = 50;
const LIMIT_MS = 120_000;

/** `count`: the number of cold starts. */
export async function coldStarts({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  const random = createRandom(seed);
  const starts: ColdStart[] = [];
  for (let number = 0; number < count; number += 1) {
    starts.push(await inHome((home) => start(home, { dist, order: random.shuffle(serverNames()) })));
    onProgress?.(`${number + 1} of ${count} starts`);
  }
  const [first] = starts;
  const violations = starts.flatMap(({ digest, names, problem }, number) => [
    ...(digest === first?.digest ? [] : [`the catalog of start ${number} differs from that of the first`]),
    ...(names >= SERVERS * TOOLS_EACH ? [] : [`start ${number} knows ${names} tools`]),
    ...(problem === undefined ? [] : [`start ${number}: ${problem}`]),
  ]);
  return {
    title: "first starts with 100 servers and 5,000 tools",
    n: starts.length,
    injected: 0,
    violations,
    figures: {
      "stdio, HTTP and OpenAPI servers": Object.values(SHARES).join(", "),
      tools: first?.names ?? 0,
      "to the first tool, ms (p50)": Math.round(
        quantile(
          starts.map(({ firstMs }) => firstMs),
          0.5,
        ),
      ),
      "to all tools, ms (p50)": Math.round(
        quantile(
          starts.map(({ allMs }) => allMs),
          0.5,
        ),
      ),
    },
    times: { of: "a start until all tools are known", ms: starts.map(({ allMs }) => allMs) },
  };
}

interface ColdStart {
  readonly firstMs: number;
  readonly allMs: number;
  readonly names: number;
  readonly digest: string;
  readonly problem: string | undefined;
}

const serverNames = (): string[] =>
  Object.entries(SHARES).flatMap(([kind, many]) => Array.from({ length: many }, (_, number) => `${kind}${number}`));

/** The order of the configuration is fixed; the response times of the servers vary. */
async function start(
  home: FaultHome,
  { dist, order }: { readonly dist: string; readonly order: readonly string[] },
): Promise<ColdStart> {
  const remote = await startRemoteLoad(home, TOOLS_EACH - 2);
  configure(home, remote, order);
  const from = performance.now();
  const gateway = await openGateway(home, { dist });
  const outcome = await gateway.execute({ server: order[0]!, tool: "read", arguments: { id: "first" } });
  const firstMs = performance.now() - from;
  await waitFor(async () => (await pendingOf(gateway)) === 0, "catalogue of all servers", LIMIT_MS);
  const allMs = performance.now() - from;
  await gateway.close();
  const listed = await listAll(home, dist);
  const problem = outcome.kind === "answer" ? undefined : `the first call ended in ${describe(outcome)}`;
  return { firstMs, allMs, ...listed, problem };
}

function configure(home: FaultHome, remote: RemoteLoad, order: readonly string[]): void {
  const delayed = (name: string): number => order.indexOf(name) * 2;
  const servers = serverNames().filter((name) => !name.startsWith("api"));
  const adapters = serverNames().filter((name) => name.startsWith("api"));
  home.configure(
    Object.fromEntries(
      servers.map((name) => [
        name,
        name.startsWith("stdio") ? stdioLoad(home, name, TOOLS_EACH - 2) : remote.server(name, delayed(name)),
      ]),
    ),
    { adapters: Object.fromEntries(adapters.map((name) => [name, remote.adapter(name)])) },
  );
}

async function pendingOf(gateway: Gateway): Promise<number> {
  const servers = await listServers(gateway);
  return SERVERS - servers.filter(({ status }) => status !== "pending").length;
}

/** Every tool by its own name, in the order in which clients receive them. */
async function listAll(home: FaultHome, dist: string): Promise<{ names: number; digest: string }> {
  home.env["MCP_TOOL_MODE"] = "full";
  const gateway = await openGateway(home, { dist });
  const hash = createHash("sha256");
  let names = 0;
  let cursor: unknown;
  do {
    const reported = await gateway.request("tools/list", cursor === undefined ? {} : { cursor });
    if (reported.kind !== "answer") throw new Error(`The tools were not listed: ${describe(reported)}.`);
    const tools = (reported.result["tools"] as { name: string }[]).filter(({ name }) => name !== READ_RESULT.name);
    names += tools.length;
    for (const { name } of tools) hash.update(`${name}\n`);
    cursor = reported.result["nextCursor"];
  } while (cursor !== undefined);
  await gateway.close();
  return { names, digest: hash.digest("hex") };
}
