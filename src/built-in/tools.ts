// The built-in tools: with them, agents discover MCP servers, call the tools of these servers and write tool files for
// them. Actions that agents may never do are rejected here; the policy decides whether the user must confirm a call.
import { DiscoveryError } from "../errors.js";
import { localActor } from "../model/actor.js";
import type { CallResult } from "../model/call.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import type { ToolDefinition } from "../model/tool.js";
import { BUILT_IN_SERVER, type BuiltInRequest, type BuiltInTool } from "../model/built-in.js";
import { applyDiscovery } from "../discover/discover.js";
import type { FilePlan } from "../discover/plan-files.js";
import { CALL, DISCOVER, WRITE_TOOLS } from "./definitions.js";
import { type BuiltInContext, headersIn, textIn, toToolAnswer, toForeignConnection, withUpstreams } from "./context.js";
import type { UpstreamCall } from "../upstreams/types.js";
import { admit, assertNotConfigured } from "./admission.js";
import { type Survey, survey } from "./survey.js";
import { isEqualJson } from "../util/json/is-equal.js";

/** The definitions of the built-in tools without their implementations. The catalog needs only the definitions. */
export const BUILT_IN_DEFINITIONS: readonly ToolDefinition[] = [DISCOVER, CALL, WRITE_TOOLS];

/**
 * `context` returns the current configuration. It is called for each tool call, so that a reload takes effect at once.
 */
export function createBuiltInTools(context: () => Promise<BuiltInContext> | BuiltInContext): readonly BuiltInTool[] {
  const tool = (
    definition: ToolDefinition,
    run: (args: JsonObject, context: BuiltInContext, request: BuiltInRequest) => Promise<CallResult>,
  ): BuiltInTool => ({ definition, run: async (args, request) => await run(args, await context(), request) });
  return [tool(DISCOVER, discoverServer), tool(CALL, callTool), tool(WRITE_TOOLS, writeTools)];
}

/**
 * The maximum total size of the tool definitions in one result; further definitions are omitted. A larger result would
 * be truncated in the middle of a definition.
 */
const MAX_LISTED_BYTES = 200 * 1024;

async function discoverServer(args: JsonObject, context: BuiltInContext, request: BuiltInRequest): Promise<CallResult> {
  const { signal, isConfirmed } = request;
  const url = admit(args, context.agents, isConfirmed);
  const surveyed = await survey(url, args, { context, headers: headersIn(args) }, signal);
  const { listing, plans, writing } = surveyed;
  const tools = listed(surveyed);
  const omittedCount = listing.tools.length - tools.length;
  const { edited, refused } = notOverwritten(plans);
  const isUpToDate = edited.length === 0 && refused.length === 0;
  return toToolAnswer({
    success: true,
    server: surveyed.request.target.name,
    tools,
    count: listing.tools.length,
    ...(omittedCount === 0 ? {} : { left_out: omittedCount }),
    env_requirements: toRequirements(surveyed, context),
    ...(edited.length === 0 ? {} : { edited_by_hand: edited }),
    ...(refused.length === 0 ? {} : { refused_files: refused }),
    ...(writing === undefined ? { note: isUpToDate ? UP_TO_DATE : USER_DECIDES } : { write_tools: writing }),
  });
}

const UP_TO_DATE = "The tool files are up to date: there is nothing to write.";
const USER_DECIDES =
  "There is nothing to write: the tool files that differ from the server's tools were edited by hand or were rejected because of their signature. The user can review these files with `anygpt mcp verify` and replace them with `anygpt mcp discover`.";

/**
 * The existing tool files that are not overwritten, because they were edited by hand or were rejected because of their
 * signature.
 */
function notOverwritten(plans: readonly FilePlan[]): { edited: string[]; refused: JsonObject[] } {
  const existing = plans.filter(({ kind }) => kind === "edited" || kind === "conflict");
  const isRefused = ({ existing }: FilePlan): boolean =>
    existing?.reason !== undefined && existing.reason !== "tampered";
  return {
    edited: existing.filter((plan) => !isRefused(plan)).map(({ toolId }) => `${toolId}.yaml`),
    refused: existing
      .filter(isRefused)
      .map(({ toolId, existing }) => ({ file: `${toolId}.yaml`, reason: existing?.reason })),
  };
}

function listed({ listing }: Survey): JsonObject[] {
  const tools: JsonObject[] = [];
  let bytes = 0;
  for (const { name, description, inputSchema } of listing.tools) {
    const tool = { name, ...(description === undefined ? {} : { description }), inputSchema };
    bytes += Buffer.byteLength(JSON.stringify(tool));
    if (bytes > MAX_LISTED_BYTES) break;
    tools.push(tool);
  }
  return tools;
}

/** Says whether a variable is set only for the names that the user has listed: agents can ask for any name. */
function toRequirements({ request, plans }: Survey, { isSet, agents }: BuiltInContext): JsonObject[] {
  const needs = [...request.target.needs, ...plans.flatMap(({ write }) => write?.needs ?? [])];
  const unique = new Map(needs.map((need) => [need.name, need]));
  return [...unique.values()].map(({ name, description, header, required }) => ({
    name,
    description,
    ...(header === undefined ? {} : { header }),
    required,
    ...(agents.variables.includes(name) ? { set: isSet(name) } : {}),
  }));
}

const DEFAULT_TIMEOUT_S = 30;
const MAX_TIMEOUT_S = 900;

async function callTool(args: JsonObject, context: BuiltInContext, request: BuiltInRequest): Promise<CallResult> {
  const { signal, isConfirmed } = request;
  const url = admit(args, context.agents, isConfirmed);
  assertNotConfigured(url, await context.addresses());
  const { params, timeout } = args;
  const tool = textIn(args, "tool");
  if (tool === undefined) {
    throw new DiscoveryError("INVALID_REQUEST", 'The argument "tool" is missing.', {
      hint: [
        { action: "execute", server: BUILT_IN_SERVER, tool: DISCOVER.name },
        'Its result lists the tools of the server. Pass the name of one of these tools in the argument "tool".',
      ],
    });
  }
  const foreign = toForeignConnection(url, headersIn(args));
  const timeoutMs = Math.min(typeof timeout === "number" ? timeout : DEFAULT_TIMEOUT_S, MAX_TIMEOUT_S) * 1000;
  const call: UpstreamCall = {
    // Not the caller's context: the server must not receive information about the caller's MCP client.
    context: { actor: localActor("mcp"), signal },
    tool,
    arguments: isJsonObject(params) ? params : {},
    timeoutMs,
    startWaitMs: timeoutMs,
    maxTotalMs: MAX_TIMEOUT_S * 1000,
  };
  const result = await withUpstreams(
    context,
    async (upstreams) => await upstreams.call({ name: url.host, connection: () => foreign }, call),
  );
  const { content, structuredContent, isError = false } = result;
  const more = structuredContent === undefined ? {} : { structuredContent };
  return toToolAnswer({ success: !isError, tool, content, ...more }, isError);
}

const NEXT_STEP =
  "The new tools can be found and called in a few seconds. The user has to set missing variables in .ai/.env.";

async function writeTools(args: JsonObject, context: BuiltInContext, request: BuiltInRequest): Promise<CallResult> {
  const { signal, isConfirmed } = request;
  const url = admit(args, context.agents, isConfirmed);
  assertNotConfigured(url, await context.addresses(), textIn(args, "name"));
  const surveyed = await survey(url, args, { context, headers: {} }, signal);
  if (surveyed.writing === undefined) {
    return toToolAnswer({ success: true, tools_created: [], tools_changed: [], note: "There is nothing to write." });
  }
  assertConfirmed(args, surveyed.writing);
  signal.throwIfAborted();
  // No request is sent to the server from here on, so the values of variables are not needed.
  const variables = { isSet: context.isSet, resolve: (text: string) => text };
  const report = await applyDiscovery(surveyed.request, surveyed, { ...context, variables });
  const written = report.files.filter(({ done }) => done === "written");
  const failed = report.files.filter(({ done }) => done === "failed");
  return toToolAnswer(
    {
      success: failed.length === 0,
      tools_created: written.filter(({ kind }) => kind === "new").map(({ toolId }) => toolId),
      tools_changed: written.filter(({ kind }) => kind !== "new").map(({ toolId }) => toolId),
      env_requirements: toRequirements(surveyed, context),
      ...(failed.length === 0 ? {} : { failed: failed.map(({ failure }) => failure?.message) }),
      ...(written.length === 0 ? {} : { next_step: NEXT_STEP }),
    },
    failed.length > 0,
  );
}

/**
 * Throws if the planned files differ from the arguments of the call, which the user confirmed: the server has changed
 * its tools since then.
 */
function assertConfirmed(args: JsonObject, writing: JsonObject): void {
  const names = [...new Set([...Object.keys(writing), ...Object.keys(args)])];
  const differing = names.filter((name) => !isEqualJson(args[name] ?? null, writing[name] ?? null));
  if (differing.length === 0) return;
  throw new DiscoveryError(
    "INVALID_REQUEST",
    `These arguments do not match the tool files that would be written now: ${differing.join(", ")}.`,
    {
      hint: [
        { action: "execute", server: BUILT_IN_SERVER, tool: DISCOVER.name },
        'Then pass "write_tools" from its result unchanged as the arguments.',
      ],
      facts: { differs: differing },
    },
  );
}
