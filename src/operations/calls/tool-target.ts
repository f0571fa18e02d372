// Finds the tool that a command line names: `SERVER TOOL`, `SERVER:TOOL`, or `TOOL` if exactly one server has a tool of
// that name.
import type { Snapshot } from "../../catalog/snapshot.js";
import type { Stages } from "../../gateway/stages.js";
import type { DiscoveryEngine } from "../../engine.js";
import { DiscoveryError } from "../../errors.js";
import { nearestNames } from "../../search/nearest.js";
import { openCatalog } from "../open-catalog.js";
import { isArgumentWord } from "../arguments/argument-words.js";

export interface ToolTarget {
  readonly server: string;
  readonly tool: string;
  /** The command-line words after the name of the tool. */
  readonly rest: readonly string[];
}

type Servers = Snapshot["servers"];

/**
 * Finds the tool. Only if the words name no server, calls `openWhole`, which also connects to servers whose tools are
 * unknown.
 */
export async function openTarget(
  words: readonly string[],
  engine: DiscoveryEngine,
  openWhole: () => Promise<Stages>,
): Promise<ToolTarget & { readonly stages: Stages }> {
  const known = await openCatalog(engine);
  const named = serverAndTool(words, known.snapshot().servers);
  if (named !== undefined) return { ...named, stages: known };
  const stages = await openWhole();
  return { ...byToolName(words, stages.snapshot().servers), stages };
}

/** The server and the tool that the words name. Undefined if the first word can only be the name of a tool. */
export function serverAndTool(words: readonly string[], servers: Servers): ToolTarget | undefined {
  const [first = "", second] = words;
  const isTwoWords = second !== undefined && !isArgumentWord(second);
  if (servers.has(first) && isTwoWords) return { server: first, tool: second, rest: words.slice(2) };
  const ends = [...first.matchAll(/:/g)].map(({ index }) => index);
  const end = ends.toReversed().find((at) => servers.has(first.slice(0, at)));
  if (end === undefined) return undefined;
  return { server: first.slice(0, end), tool: first.slice(end + 1), rest: words.slice(1) };
}

export function byToolName(words: readonly string[], servers: Servers): ToolTarget {
  const [first = "", second] = words;
  const tools = [...servers.values()].flatMap((server) => server.tools).filter(({ enabled }) => enabled);
  const fitting = tools.filter(({ name, file }) => name === first || file?.id === first);
  const [only, ...others] = fitting;
  if (only !== undefined && others.length === 0) {
    return { server: only.server, tool: only.name, rest: words.slice(1) };
  }
  if (only !== undefined) {
    throw wrong(
      "INVALID_REQUEST",
      `${fitting.length} servers have a tool named ${JSON.stringify(first)}.`,
      `Write one of: ${fitting.map(({ id }) => id).join(", ")}.`,
    );
  }
  if (servers.has(first)) {
    throw wrong(
      "INVALID_REQUEST",
      "Missing required argument 'tool'.",
      `\`anygpt mcp tools ${first}\` lists the tools of ${first}.`,
    );
  }
  // The executor reports an unknown server and writes the attempt to the audit log.
  if (second !== undefined && !isArgumentWord(second)) return { server: first, tool: second, rest: words.slice(2) };
  const colon = first.indexOf(":");
  if (colon > 0) return { server: first.slice(0, colon), tool: first.slice(colon + 1), rest: words.slice(1) };
  throw unknownTool(
    first,
    tools.map(({ id, name }) => ({ id, name })),
  );
}

function unknownTool(typed: string, tools: readonly { readonly id: string; readonly name: string }[]): DiscoveryError {
  const near = new Set(
    nearestNames(
      typed,
      tools.map(({ name }) => name),
    ),
  );
  const ids = tools.filter(({ name }) => near.has(name)).map(({ id }) => id);
  const hint =
    ids.length > 0
      ? `Did you mean ${ids.slice(0, 3).join(" or ")}?`
      : "Search for the tool with `anygpt mcp search`, and write SERVER:TOOL as in the search results.";
  return wrong("TOOL_NOT_FOUND", `No tool is named ${JSON.stringify(typed)}.`, hint);
}

function wrong(code: "INVALID_REQUEST" | "TOOL_NOT_FOUND", message: string, hint: string): DiscoveryError {
  return new DiscoveryError(code, message, { hint });
}
