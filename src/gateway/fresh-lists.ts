// Requests the tool list of a server again when the server says that it does not know the tool of a call, so that the
// error can say whether the tool is gone.
import type { CatalogFinder } from "../catalog/find.js";
import { DiscoveryError } from "../errors.js";
import type { CallResult } from "../model/call.js";
import type { Tool } from "../model/tool.js";

export interface FreshListParts {
  readonly finder: Pick<CatalogFinder, "find">;
  /** Requests the server's tool list, even if a request is in progress. */
  readonly relist: (server: string) => Promise<void>;
  readonly waitMs?: number;
}

/** How long a failed call waits at most for the new tool list. After that, the caller gets the server's own error. */
const RELIST_WAIT_MS = 5000;
/** A longer text is the output of a tool rather than the message that a tool is unknown. */
const MAX_MESSAGE_LENGTH = 300;

/**
 * Sends a call with `send`. If the server does not know the tool, requests its tool list again and throws
 * TOOL_NOT_FOUND, or, if the server still lists the tool, an error that says that the call can be repeated.
 */
export async function sendWithFreshList(
  tool: Tool,
  send: () => Promise<CallResult>,
  parts: FreshListParts,
): Promise<CallResult> {
  try {
    const result = await send();
    if (result.isError !== true || !isUnknownToolResult(result, tool.name)) return result;
    await explainUnknown(tool, parts);
    return result;
  } catch (error) {
    if (isUnknownToolError(error, tool.name)) await explainUnknown(tool, parts);
    throw error;
  }
}

/** Throws what the new tool list says about the tool. Returns if there is no new list. */
async function explainUnknown({ server, name }: Tool, parts: FreshListParts): Promise<void> {
  if (!(await isRelisted(server, parts))) return;
  try {
    await parts.finder.find(server, name);
  } catch (error) {
    if (!(error instanceof DiscoveryError) || error.code !== "TOOL_NOT_FOUND") return;
    throw error.with({ message: `${server} no longer has the tool "${name}".` });
  }
  throw new DiscoveryError(
    "TOOL_EXECUTION_ERROR",
    `${server} answered that the tool "${name}" is unknown, but its current list contains the tool.`,
    { hint: { action: "retry" }, server, tool: name, executed: "no" },
  );
}

async function isRelisted(server: string, { relist, waitMs = RELIST_WAIT_MS }: FreshListParts): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), waitMs)));
  const listed = relist(server).then(
    () => true,
    () => false,
  );
  return await Promise.race([listed, late]).finally(() => clearTimeout(timer));
}

/**
 * The JSON-RPC codes with which servers reject an unknown tool: -32602 in the specification and its SDKs, -32601 and
 * -32000 in other servers.
 */
const UNKNOWN_TOOL_CODES = new Set<unknown>([-32_602, -32_601, -32_000]);

function isUnknownToolError(error: unknown, name: string): boolean {
  if (!(error instanceof DiscoveryError) || !UNKNOWN_TOOL_CODES.has(error.facts["jsonRpcCode"])) return false;
  const message = error.message.replace(/^.* answered with an error: /s, "");
  // Some SDKs do not name the tool: "tool not found" (rmcp 0.x).
  return saysUnknown(message, name) || /^(?:unknown tool|(?:no such )?tool(?: was)? not found)\.?$/i.test(message);
}

/** Servers of the TypeScript and Python SDKs report an unknown tool as the result of a tool that failed. */
function isUnknownToolResult({ content }: CallResult, name: string): boolean {
  const [only] = content;
  return content.length === 1 && typeof only?.["text"] === "string" && saysUnknown(only["text"], name);
}

/** Whether the whole message says that the tool with this name does not exist, for example `Tool x not found`. */
function saysUnknown(message: string, name: string): boolean {
  if (message.length > MAX_MESSAGE_LENGTH) return false;
  const text = message.replace(/^(?:(?:MCP error -?\d+|\w*Error(?: executing tool)?):? )+/i, "").trim();
  const tool = `["'\`]?${name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}["'\`]?`;
  const isUnknown = String.raw`(?:is |was )?(?:not found|unknown|not available|not registered|disabled)`;
  const isMissing = String.raw`(?:does not exist|doesn't exist|no longer exists)`;
  return new RegExp(
    String.raw`^(?:(?:unknown|no such|unrecognized) tool(?: name)?:? ${tool}|(?:the )?tool:? ${tool} (?:${isUnknown}|${isMissing})|tool(?: was)? not found: ${tool})[.!]?$`,
    "i",
  ).test(text);
}
