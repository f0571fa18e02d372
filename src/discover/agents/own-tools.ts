// The tools of the gateway itself, for agents that want to know or to add a server. What they may not do is refused here; whether
// a call needs a person is the policy's affair.
import { DiscoveryError } from "../../errors.js";
import type { CallResult } from "../../model/call.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { ToolDefinition } from "../../model/tool.js";
import type { OwnTool } from "../../upstreams/own-tool.js";
import { canonicalJson } from "../../util/json/canonical.js";
import { settleDiscovery } from "../discover.js";
import type { FilePlan } from "../plan-files.js";
import { CALL, DISCOVER, WRITE_TOOLS } from "./definitions.js";
import { type AgentDesk, headersIn, textIn, toAnswer, toForeign, withUpstreams } from "./desk.js";
import { admit, refuseConfigured } from "./gate.js";
import { type Survey, survey } from "./survey.js";

/** The definitions alone, for the catalog. */
export const OWN_DEFINITIONS: readonly ToolDefinition[] = [DISCOVER, CALL, WRITE_TOOLS];

/** `desk` is asked for at every call: a reload counts at once. */
export function createOwnTools(desk: () => Promise<AgentDesk> | AgentDesk): readonly OwnTool[] {
  const tool = (
    definition: ToolDefinition,
    run: (args: JsonObject, desk: AgentDesk, signal: AbortSignal) => Promise<CallResult>,
  ): OwnTool => ({ definition, run: async (args, signal) => await run(args, await desk(), signal) });
  return [tool(DISCOVER, discoverServer), tool(CALL, callTool), tool(WRITE_TOOLS, writeTools)];
}

/** More than that would be cut anyway, in the midst of a definition. */
const MOST_LISTED_BYTES = 200 * 1024;

async function discoverServer(args: JsonObject, desk: AgentDesk, signal: AbortSignal): Promise<CallResult> {
  const url = admit(args, desk.agents);
  const surveyed = await survey(url, args, { desk, headers: headersIn(args) }, signal);
  const { listing, plans, writing, wish } = surveyed;
  const tools = listed(surveyed);
  const leftOut = listing.tools.length - tools.length;
  const { edited, refused } = toKept(plans);
  const isAsItShould = edited.length === 0 && refused.length === 0;
  return toAnswer({
    success: true,
    server: wish.target.name,
    tools,
    count: listing.tools.length,
    ...(leftOut === 0 ? {} : { left_out: leftOut }),
    env_requirements: toRequirements(surveyed, desk),
    ...(edited.length === 0 ? {} : { edited_by_hand: edited }),
    ...(refused.length === 0 ? {} : { refused_files: refused }),
    ...(writing === undefined ? { note: isAsItShould ? UP_TO_DATE : LEFT_TO_PEOPLE } : { write_tools: writing }),
  });
}

const UP_TO_DATE = "Its files are as they should be: there is nothing to write.";
const LEFT_TO_PEOPLE =
  "There is nothing to write: what differs stands in files that were edited or are refused, and your person decides about those with `anygpt mcp discover` and `anygpt mcp verify`.";

/** What stands there and is not written over: a person's work, and what nobody here vouches for. */
function toKept(plans: readonly FilePlan[]): { edited: string[]; refused: JsonObject[] } {
  const kept = plans.filter(({ kind }) => kind === "edited" || kind === "conflict");
  const isRefused = ({ standing }: FilePlan): boolean =>
    standing?.reason !== undefined && standing.reason !== "tampered";
  return {
    edited: kept.filter((plan) => !isRefused(plan)).map(({ toolId }) => `${toolId}.yaml`),
    refused: kept
      .filter(isRefused)
      .map(({ toolId, standing }) => ({ file: `${toolId}.yaml`, reason: standing?.reason })),
  };
}

function listed({ listing }: Survey): JsonObject[] {
  const tools: JsonObject[] = [];
  let bytes = 0;
  for (const { name, description, inputSchema } of listing.tools) {
    const tool = { name, ...(description === undefined ? {} : { description }), inputSchema };
    bytes += Buffer.byteLength(JSON.stringify(tool));
    if (bytes > MOST_LISTED_BYTES) break;
    tools.push(tool);
  }
  return tools;
}

function toRequirements({ wish, plans }: Survey, { isSet }: AgentDesk): JsonObject[] {
  const needs = [...wish.target.needs, ...plans.flatMap(({ write }) => write?.needs ?? [])];
  const unique = new Map(needs.map((need) => [need.name, need]));
  return [...unique.values()].map(({ name, description, header, required }) => ({
    name,
    description,
    ...(header === undefined ? {} : { header }),
    required,
    set: isSet(name),
  }));
}

const DEFAULT_TIMEOUT_S = 30;
const LONGEST_S = 900;

async function callTool(args: JsonObject, desk: AgentDesk, signal: AbortSignal): Promise<CallResult> {
  const url = admit(args, desk.agents);
  refuseConfigured(url, await desk.addresses());
  const { params, timeout } = args;
  const tool = textIn(args, "tool");
  if (tool === undefined) {
    throw new DiscoveryError("INVALID_REQUEST", "There is no tool to call.", { hint: "mcp_discover lists them." });
  }
  const foreign = toForeign(url, headersIn(args));
  const timeoutMs = Math.min(typeof timeout === "number" ? timeout : DEFAULT_TIMEOUT_S, LONGEST_S) * 1000;
  const call = { tool, arguments: isJsonObject(params) ? params : {}, timeoutMs, maxTotalMs: LONGEST_S * 1000 };
  const result = await withUpstreams(
    desk,
    async (upstreams) =>
      await upstreams.call({ name: url.host, connection: () => foreign }, { ...call, startWaitMs: timeoutMs }, signal),
  );
  const { content, structuredContent, isError = false } = result;
  const more = structuredContent === undefined ? {} : { structuredContent };
  return toAnswer({ success: !isError, tool, content, ...more }, isError);
}

const NEXT_STEP =
  "search_tools finds them in a moment; execute_tool runs them. Missing variables belong into .ai/.env.";

async function writeTools(args: JsonObject, desk: AgentDesk, signal: AbortSignal): Promise<CallResult> {
  const url = admit(args, desk.agents);
  refuseConfigured(url, await desk.addresses(), textIn(args, "name"));
  const surveyed = await survey(url, args, { desk, headers: {} }, signal);
  if (surveyed.writing === undefined) {
    return toAnswer({ success: true, tools_created: [], tools_changed: [], note: "There is nothing to write." });
  }
  assertAgreed(args, surveyed.writing);
  signal.throwIfAborted();
  // Nothing is sent from here on: which variables are set makes no difference.
  const variables = { isSet: desk.isSet, resolve: (text: string) => text };
  const report = await settleDiscovery(surveyed.wish, surveyed, { ...desk, variables });
  const written = report.files.filter(({ done }) => done === "written");
  const failed = report.files.filter(({ done }) => done === "failed");
  return toAnswer(
    {
      success: failed.length === 0,
      tools_created: written.filter(({ kind }) => kind === "new").map(({ toolId }) => toolId),
      tools_changed: written.filter(({ kind }) => kind !== "new").map(({ toolId }) => toolId),
      env_requirements: toRequirements(surveyed, desk),
      ...(failed.length === 0 ? {} : { failed: failed.map(({ failure }) => failure?.message) }),
      ...(written.length === 0 ? {} : { next_step: NEXT_STEP }),
    },
    failed.length > 0,
  );
}

/** A person has agreed to these files with these contents, and to nothing that the server has made of them since. */
function assertAgreed(args: JsonObject, writing: JsonObject): void {
  const names = [...new Set([...Object.keys(writing), ...Object.keys(args)])];
  const differing = names.filter((name) => canonicalJson(args[name] ?? null) !== canonicalJson(writing[name] ?? null));
  if (differing.length === 0) return;
  throw new DiscoveryError("INVALID_REQUEST", `What would be written is not what was said: ${differing.join(", ")}.`, {
    hint: "Call mcp_discover again, and pass the write_tools of its answer unchanged.",
    facts: { differs: differing },
  });
}
