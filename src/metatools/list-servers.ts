import { z } from "zod";
import type { CatalogServer } from "../catalog/snapshot.js";
import type { PendingServer } from "../catalog/starts.js";
import type { JsonObject } from "../model/json.js";
import type { DescribeStep } from "../model/next-steps.js";
import { RETRY_AFTER_SECONDS } from "../model/start.js";
import type { UpstreamState } from "../upstreams/types.js";
import { cutAtWord } from "../util/text.js";
import { describeServer } from "./describe-server.js";
import type { Discovery } from "./discovery.js";
import { pageOf } from "./list-page.js";
import { defineMetaTool, type MetaTool } from "./meta-tool.js";
import type { ServerSummary } from "./metadata.js";
import { describeDiscoveryStep } from "./next-steps.js";
import { NO_SERVER_NOTE } from "./search-answer.js";

/**
 * With more servers than this, the list omits descriptions and shortens failure reasons: an agent should search for
 * tools instead.
 */
const MANY_SERVERS = 60;
const PAGE_SIZE = 100;
const SHORT_REASON = 80;

export interface ServerListParts {
  readonly discovery: Discovery;
  readonly upstreamState: (server: string) => UpstreamState;
  /** Renders the next steps after a failure. */
  readonly describe: DescribeStep;
}

export const listCursor = z.string().min(1).optional();

export function listMcpServers(parts: Omit<ServerListParts, "describe">): MetaTool {
  return defineMetaTool({
    name: "list_mcp_servers",
    description: "List the MCP servers behind this gateway.",
    input: z.strictObject({ cursor: listCursor }),
    readOnly: true,
    async run({ cursor }) {
      return { kind: "data", data: toServerListAnswer({ ...parts, describe: describeDiscoveryStep }, cursor) };
    },
  });
}

/** The list of servers that agents read, over MCP and REST: one page of at most `PAGE_SIZE` servers. */
export function toServerListAnswer(
  { discovery, upstreamState, describe }: ServerListParts,
  cursor: string | undefined,
): JsonObject {
  const configured = discovery.servers();
  const all = [...configured, ...discovery.builtInServers().filter(hasEnabledTool)];
  const starts = new Map(discovery.starts().map((start) => [start.name, start]));
  const keyOf = ({ definition }: CatalogServer): string => definition.name;
  const { items, members } = pageOf(all, { cursor, limit: PAGE_SIZE, list: ["servers"], keyOf });
  const isLong = configured.length > MANY_SERVERS;
  const servers = items.map((one) => {
    const start = starts.get(keyOf(one));
    const summary = describeServer(one, upstreamState(keyOf(one)), describe, start !== undefined);
    return toServerItem(summary, { isLong, start });
  });
  return {
    servers,
    ...members,
    ...(starts.size > 0 ? { retry_after_seconds: RETRY_AFTER_SECONDS } : {}),
    ...(configured.length === 0 ? { note: NO_SERVER_NOTE } : {}),
  };
}

function hasEnabledTool({ tools }: CatalogServer): boolean {
  return tools.some(({ enabled }) => enabled);
}

interface ServerItemOptions {
  /** Whether the list of servers is long, so that descriptions are omitted and failure reasons are shortened. */
  readonly isLong: boolean;
  /** How far the start of the server is; undefined if its tools are known or the start failed. */
  readonly start: PendingServer | undefined;
}

/**
 * A server in the list. `status` is only present if the server cannot be used (`error`) or its tools are not known yet
 * (`pending`): a server without an open connection is ready, because the next call opens one.
 */
function toServerItem(summary: ServerSummary, { isLong, start }: ServerItemOptions): JsonObject {
  const { name, description, toolCount, enabledCount, status, known, reason } = summary;
  const isPending = start !== undefined || (!known && status !== "error");
  return {
    name,
    ...(isLong || description === "" ? {} : { description }),
    ...(known ? { toolCount } : {}),
    ...(enabledCount === toolCount ? {} : { enabledCount }),
    ...(isPending ? { status: "pending", ...toProgress(start) } : status === "error" ? { status } : {}),
    ...(reason === undefined ? {} : { reason: isLong ? cutAtWord(reason, SHORT_REASON) : reason }),
  };
}

function toProgress(start: PendingServer | undefined): JsonObject {
  return start === undefined ? {} : { phase: start.phase, seconds: Math.floor(start.forMs / 1000) };
}
