import type { Stages } from "../../../compose.js";
import { describeServer } from "../../../metatools/describe-server.js";
import { toListedServer } from "../../../metatools/discovery-profile.js";
import type { ServerSummary } from "../../../metatools/metadata.js";
import { importNotes } from "../../../notices.js";
import { describeProblem } from "../../../util/document/problem.js";
import { catalogNotes, missingData, type MissingServers } from "../catalog-notes.js";
import type { Handler } from "../command.js";
import { BAD, blocks, bold, count, dim, GOOD, line, type Line, WAITING, WARNING } from "../lines.js";
import { inWordsOfTheCommandLine } from "../failure.js";
import { openWholeCatalog, withEngine } from "../session.js";

export const list: Handler = (input, context) =>
  withEngine(context, async (engine) => {
    const stages = await openWholeCatalog(engine, context);
    if (context.isJson) {
      const starts = new Map(stages.discovery.starts().map((start) => [start.name, start]));
      const servers = summaries(stages).map((one) =>
        toListedServer(one, { isLong: false, start: starts.get(one.name) }),
      );
      context.json({ servers, ...missingData(missingIn(stages)) });
      return 0;
    }
    const isNarrowed = input.flag("status") || input.flag("tools");
    context.show(
      listLines(
        summaries(stages),
        {
          status: !isNarrowed || input.flag("status"),
          tools: !isNarrowed || input.flag("tools"),
        },
        whyNone(stages),
      ),
    );
    context.note([
      ...importNotes(stages.loaded, stages.collected).map((note) => line(0, dim(note))),
      ...stages.loaded.notices.map((notice) => line(0, WARNING, ` ${notice}`)),
      ...stages.collected.problems.map((problem) => line(0, WARNING, ` ${describeProblem(problem)}`)),
      ...catalogNotes(missingIn(stages)),
    ]);
    return 0;
  });

function missingIn({ discovery }: Stages): MissingServers {
  return { pending: discovery.starts(), failed: discovery.failed() };
}

interface ListedServer extends ServerSummary {
  readonly isPending: boolean;
}

function summaries({ discovery, upstreams }: Stages): ListedServer[] {
  const pending = new Set(discovery.pending());
  return discovery.servers().map((server) => {
    const { name } = server.definition;
    return { ...describeServer(server, upstreams.state(name)), isPending: pending.has(name) };
  });
}

/** The two things that `list` tells of a server besides its name and description. */
interface Shown {
  readonly status: boolean;
  readonly tools: boolean;
}

export function listLines(servers: readonly ListedServer[], shown: Shown, whyNone: string): Line[] {
  const heading = [line(0, bold(`MCP Servers (${servers.length} configured)`), ":")];
  if (servers.length === 0) return blocks([heading, [line(0, whyNone)]]);
  return blocks([heading, ...servers.map((server) => serverLines(server, shown))]);
}

/** Why there is no server, and what to do about it. */
function whyNone({ loaded: { file = "The configuration" }, config }: Stages): string {
  if (!config.enabled) return `${file} switches the gateway off: remove \`enabled: false\` there to use its servers.`;
  const { length } = config.servers;
  if (length > 0 && config.servers.every(({ enabled }) => !enabled)) {
    const which = length === 1 ? "The only server" : `All ${length} servers`;
    return `${which} of ${file} ${length === 1 ? "has" : "have"} \`enabled: false\`: remove it to use ${length === 1 ? "it" : "them"}.`;
  }
  return "Take over those of other programs with `anygpt mcp import`, add servers to ~/.anygpt/mcp-discovery.config.yaml, or name a file with --config.";
}

function serverLines(server: ListedServer, { status, tools }: Shown): Line[] {
  const { name, description, toolCount, enabledCount, known, reason } = server;
  const mark = server.status === "error" ? BAD : server.isPending ? WAITING : GOOD;
  const disabled = toolCount === enabledCount ? "" : `, ${toolCount - enabledCount} disabled`;
  const amount = tools && known ? ` (${count(toolCount, "tool")}${disabled})` : "";
  return [
    line(0, mark, " ", bold(name), amount),
    ...(description === "" ? [] : [line(2, description)]),
    ...(status ? [line(2, `Status: ${statusText(server)}`)] : []),
    ...(reason === undefined ? [] : [line(2, inWordsOfTheCommandLine(reason))]),
  ];
}

function statusText({ status, isPending }: ListedServer): string {
  if (status === "connected") return "Connected";
  if (status === "error") return "Error";
  return isPending ? "Pending (has not answered yet)" : "Disconnected (starts when a tool is executed)";
}
