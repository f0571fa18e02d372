import type { DiscoveryEngine } from "../../engine.js";
import type { DiscoveryError } from "../../errors.js";
import type { Stages } from "../../gateway/stages.js";
import { installsFolder } from "../../gateway/runtime-environment.js";
import { type DescribeStep, describeLibraryStep, renderHint } from "../../model/next-steps.js";
import type { MessageFaults } from "../../upstreams/message-monitor.js";
import { openCatalog } from "../open-catalog.js";
import { type AskedServer, type AskOptions, askServers } from "../servers/ask-servers.js";
import { repairNpxCache } from "./repair-npx-cache.js";

/** The result of starting one server and requesting its tool list. */
export interface CheckedServer {
  readonly server: string;
  readonly status: "ok" | "failed";
  readonly durationMs: number;
  readonly tools: number;
  /** The number of tools that the rules enable. Missing if all are enabled. */
  readonly enabled?: number;
  /**
   * The family of MCP revisions that the server uses: `modern` (stateless) or `legacy` (with an `initialize`
   * handshake).
   */
  readonly era?: string;
  /** Set if the server has more tools than the limits allow, so that some are missing. */
  readonly truncated?: true;
  /** Tools that cannot be used, with the reason. */
  readonly dropped?: readonly { readonly name: string; readonly reason: string }[];
  /**
   * What the server has sent to this gateway process that a correct server does not send. Missing if there is nothing;
   * counts of zero are missing too.
   */
  readonly faultyMessages?: Partial<MessageFaults>;
  readonly reason?: string;
  readonly hint?: string;
  /** The last lines that the server wrote to its standard error. */
  readonly stderr?: readonly string[];
}

/** Options of `checkServers`. */
export interface CheckServersOptions extends AskOptions {
  /** The names of the servers to check. Default: all servers. An unknown name is an error before any server starts. */
  readonly servers?: readonly string[];
  /** Called for each server as soon as its tool list was received or it has failed. `error` is the failure. */
  readonly onServer?: (server: CheckedServer, error: DiscoveryError | undefined) => void;
}

/** The result of `checkServers`. */
export interface ServersCheck {
  /** In the order of the configuration. After an interruption, servers that were not checked yet are missing. */
  readonly servers: readonly CheckedServer[];
  /** The number of servers to check. */
  readonly total: number;
  readonly isInterrupted: boolean;
}

/** The maximum wait for all servers together. */
const MAX_MS = 60_000;

/** Starts each server, requests its tool list, and reports failures with suggested next steps. */
export async function checkServers(
  engine: DiscoveryEngine,
  { servers: only = [], timeoutMs = MAX_MS, ...options }: CheckServersOptions = {},
): Promise<ServersCheck> {
  const stages = await openCatalog(engine);
  await assertKnownServers(only, stages);
  const names = only.length > 0 ? only : stages.discovery.servers().map(({ definition }) => definition.name);
  const { upstreams } = stages;
  // Drop stored failures: the gateway would report them again for some time, but the user may have repaired the servers
  // since.
  await Promise.all(names.filter((name) => upstreams.state(name).kind === "failed").map(upstreams.drop));
  return await checkEach(names, stages, { ...options, timeoutMs });
}

async function checkEach(
  names: readonly string[],
  stages: Stages,
  { onServer, describe = describeLibraryStep, ...options }: Omit<CheckServersOptions, "servers">,
): Promise<ServersCheck> {
  const checked = new Map<string, CheckedServer>();
  const onAnswer = (asked: AskedServer): void => {
    const server = diagnose(asked, stages, describe);
    checked.set(server.server, server);
    onServer?.(server, asked.failure);
  };
  let isInterrupted = false;
  try {
    const all = await askServers(names, stages, { ...options, onAnswer });
    for (const late of all.filter(({ name }) => !checked.has(name))) onAnswer(late);
  } catch (error) {
    if (options.signal?.aborted !== true) throw error;
    isInterrupted = true;
  }
  return { servers: names.flatMap((name) => checked.get(name) ?? []), total: names.length, isInterrupted };
}

/** Throws `SERVER_NOT_FOUND` for the first unknown name, with the most similar names. */
export async function assertKnownServers(names: readonly string[], { snapshot, discovery }: Stages): Promise<void> {
  for (const name of names) if (!snapshot().servers.has(name)) await discovery.server(name);
}

/** The folder of the npx cache whose broken content made a server fail. */
export function brokenNpxFolder(error: DiscoveryError | undefined): string | undefined {
  const folder = error?.facts["brokenNpxFolder"];
  return typeof folder === "string" ? folder : undefined;
}

/** Removes a broken folder of the npx cache. npx installs the package again when one of its servers starts. */
export async function removeBrokenNpxFolder(engine: DiscoveryEngine, folder: string): Promise<void> {
  const { runtime } = await engine.stages();
  await repairNpxCache(folder, installsFolder(runtime.stateFolder));
}

/**
 * Starts repaired servers again. Without `timeoutMs`, the total wait has no limit, because npx must install the packages
 * again, which can take long.
 */
export async function recheckServers(
  engine: DiscoveryEngine,
  servers: readonly string[],
  options: Omit<CheckServersOptions, "servers"> = {},
): Promise<ServersCheck> {
  const stages = await engine.stages();
  // After a failure, the gateway waits before it starts a server again. Dropping the connection removes this delay.
  await Promise.all(servers.map((server) => stages.upstreams.drop(server)));
  return await checkEach(servers, stages, options);
}

const STDERR_LINES = 5;

function diagnose(
  { name, durationMs, failure }: AskedServer,
  { snapshot, upstreams }: Stages,
  describe: DescribeStep,
): CheckedServer {
  const server = snapshot().servers.get(name);
  const tools = server?.tools.length ?? 0;
  const faulty = Object.entries(upstreams.messageFaults(name)).filter(([, times]) => times > 0);
  const faultyMessages = faulty.length === 0 ? {} : { faultyMessages: Object.fromEntries(faulty) };
  if (failure !== undefined) {
    // The gateway may have started the server twice, once per protocol generation, so duplicate lines of stderr are
    // removed.
    const hint = renderHint(failure.nextSteps, describe);
    const stderr = [...new Set(upstreams.stderr(name))].slice(-STDERR_LINES);
    return {
      server: name,
      status: "failed",
      durationMs,
      tools,
      ...faultyMessages,
      reason: failure.message,
      ...(hint === undefined ? {} : { hint }),
      ...(stderr.length === 0 ? {} : { stderr }),
    };
  }
  const record = server?.record;
  const enabled = server?.tools.filter((tool) => tool.enabled).length ?? 0;
  return {
    server: name,
    status: "ok",
    durationMs,
    tools,
    ...(enabled === tools ? {} : { enabled }),
    ...(record === undefined ? {} : { era: record.era }),
    ...(record?.truncated ? { truncated: true as const } : {}),
    ...(record !== undefined && record.dropped.length > 0 ? { dropped: record.dropped } : {}),
    ...faultyMessages,
  };
}
