import type { Stages } from "../../../gateway/stages.js";
import { DiscoveryError } from "../../../errors.js";
import { metaToolData } from "../../../metatools/meta-tool.js";
import { summaryOf } from "../../../metatools/metadata.js";
import { localActor } from "../../../model/actor.js";
import { isJsonObject, type JsonObject } from "../../../model/json.js";
import type { Tool } from "../../../model/tool.js";
import type { AssessedRisk } from "../../../policy/risk.js";
import { decideRules } from "../../../rules/decide.js";
import { explain } from "../../../rules/explain.js";
import { toOneLine } from "../../../util/text.js";
import type { Handler } from "../command.js";
import { BAD, BLANK, blocks, bold, count, dim, GOOD, line, type Line, WARNING } from "../../../terminal/lines.js";
import { openCatalog } from "../../../operations/open-catalog.js";
import { askingText, LONGEST_START_MS, withEngine } from "../session.js";

export const tools: Handler = async (input, context) => {
  const name = input.argument("server");
  if (name === "") throw noServer();
  return await withEngine(context, async (engine) => {
    const stages = await openCatalog(engine);
    const server = await context.wait(stages.discovery.server(name, { waitMs: LONGEST_START_MS }), () =>
      askingText(name, stages),
    );
    const explained = input.flag("explain") ? explanations(stages) : undefined;
    const all = input.flag("all") || explained !== undefined;
    if (context.isJson) {
      context.json(
        withReasons(
          await metaToolData(
            stages.metaTools,
            "list_tools",
            { server: name, includeDisabled: all },
            { actor: localActor("cli") },
          ),
          server.tools,
          explained,
        ),
      );
      return 0;
    }
    const page = { server: name, tools: server.tools, all, tags: input.flag("tags"), explained };
    context.aside([toolsHeading(page), BLANK]);
    context.show(toolsLines(page));
    context.aside(whyNone(page));
    const dropped = server.record?.dropped.length ?? 0;
    if (dropped > 0) {
      const what = `${count(dropped, "definition")} of ${name} could not be used`;
      context.aside([line(0, WARNING, ` ${what}. Run \`anygpt mcp doctor ${name}\` to see why.`)]);
    }
    return 0;
  });
};

function noServer(): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", "Missing required argument 'server'.", {
    hint: [
      { action: "list-servers" },
      { action: "run-command", command: "anygpt mcp tools --help", purpose: "see the syntax" },
    ],
  });
}

type ReasonOf = (tool: Tool) => string;

/** The rule that enables or disables a tool, on one line. */
export function reasons({ rules }: Stages): ReasonOf {
  return (tool) => explain(rules, decideRules(rules, tool));
}

/** The rule and the risk of one tool, for `--explain`. */
interface Explanation {
  readonly rule: string;
  readonly risk: AssessedRisk;
}

type Explain = (tool: Tool) => Explanation;

function explanations(stages: Stages): Explain {
  const reasonOf = reasons(stages);
  return (tool) => ({ rule: reasonOf(tool), risk: stages.policy.ruling(tool).risk });
}

function withReasons(data: JsonObject, known: readonly Tool[], explained: Explain | undefined): JsonObject {
  if (explained === undefined || !Array.isArray(data["tools"])) return data;
  const byName = new Map(known.map((tool) => [tool.name, tool]));
  const listed = data["tools"].filter(isJsonObject).map((one) => {
    const tool = byName.get(String(one["name"]));
    if (tool === undefined) return one;
    const { rule, risk } = explained(tool);
    return { ...one, rule, risk: risk.risk, risk_origin: risk.origin.detail };
  });
  return { ...data, tools: listed };
}

export interface ToolsPage {
  readonly server: string;
  readonly tools: readonly Tool[];
  readonly all: boolean;
  readonly tags: boolean;
  readonly explained: Explain | undefined;
}

function toolsHeading({ server, tools: known }: ToolsPage): Line {
  const enabled = known.filter((tool) => tool.enabled).length;
  return line(0, "Tools from ", bold(server), ` (${enabled} enabled, ${known.length - enabled} disabled):`);
}

function whyNone({ server, tools: known, all }: ToolsPage): Line[] {
  if (known.some((tool) => all || tool.enabled)) return [];
  const why =
    known.length === 0 ? `${server} offers no tools.` : "All tools are disabled. Add --explain to see the rules.";
  return [line(0, why)];
}

export function toolsLines({ tools: known, all, tags, explained }: ToolsPage): Line[] {
  const listed = known.filter((tool) => all || tool.enabled);
  const tail = (tool: Tool): Line[] => [
    ...(tags && tool.tags.length > 0 ? [line(2, dim(`Tags: ${tool.tags.join(", ")}`))] : []),
    ...(explained === undefined ? [] : explanationLines(explained(tool))),
  ];
  return blocks(listed.map((tool) => [...toolLines(tool), ...tail(tool)]));
}

function explanationLines({ rule, risk: { risk, origin } }: Explanation): Line[] {
  return [line(2, dim(`Decided by: ${rule}`)), line(2, dim(`Risk: ${risk} (${origin.detail})`))];
}

function toolLines(tool: Tool): Line[] {
  const summary = summaryOf(tool);
  const name = bold(toOneLine(tool.name));
  const head = tool.enabled ? line(0, GOOD, " ", name) : line(0, BAD, " ", name, " (disabled)");
  return [head, ...(summary === "" ? [] : [line(2, summary)])];
}
