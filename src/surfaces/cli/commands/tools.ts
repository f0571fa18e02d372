import { type FilteredTools, filterTools } from "../../../metatools/list-tools.js";
import { summaryOf } from "../../../metatools/metadata.js";
import type { Hint } from "../../../model/next-steps.js";
import type { Tool } from "../../../model/tool.js";
import {
  describeSpelling,
  explainTool,
  listToolsJson,
  type ToolExplanation,
} from "../../../operations/tools/tool-page.js";
import { BAD, BLANK, blocks, bold, count, dim, GOOD, line, type Line, WARNING } from "../../../terminal/lines.js";
import { invalidRequest } from "../../../util/invalid-request.js";
import { toOneLine } from "../../../util/text.js";
import type { Handler } from "../command.js";
import { openServer, withEngine } from "../session.js";

const SEE_SERVERS: Hint = [
  { action: "list-servers" },
  { action: "run-command", command: "anygpt mcp tools --help", purpose: "see the syntax" },
];

export const tools: Handler = async (input, context) => {
  const name = input.argument("server");
  if (name === "") throw invalidRequest("Missing required argument 'server'.", SEE_SERVERS);
  await withEngine(context, async (engine) => {
    const { stages, server } = await openServer(engine, name, context);
    const isExplained = input.flag("explain");
    const includeDisabled = input.flag("all") || isExplained;
    const query = input.text("query");
    const { tools: serverTools } = server;
    const found = await filterTools({ server: name, tools: serverTools, query, includeDisabled }, stages.discovery);
    if (context.isJson) return context.json(listToolsJson({ server: name, serverTools, found }, stages, isExplained));
    const listed = found.tools;
    context.aside([line(0, "Tools from ", bold(name), amountsOf(serverTools, query, found)), BLANK]);
    const explanationOf = (tool: Tool): Line[] => (isExplained ? explanationLines(explainTool(tool, stages)) : []);
    context.show(
      blocks(
        listed.map((tool) => [
          ...toolLines(tool, serverTools),
          ...tagLines(tool, input.flag("tags")),
          ...explanationOf(tool),
        ]),
      ),
    );
    if (server.tools.length === 0) context.aside([`${name} offers no tools.`]);
    else if (listed.length === 0) context.aside(["All tools are disabled. Add --explain to see the rules."]);
    const dropped = server.record?.dropped.length ?? 0;
    if (dropped > 0) {
      const what = `${count(dropped, "definition")} of ${name} could not be used`;
      context.aside([line(0, WARNING, ` ${what}. Run \`anygpt mcp doctor ${name}\` to see why.`)]);
    }
  });
};

function amountsOf(
  all: readonly Tool[],
  query: string | undefined,
  { tools: listed, isClosest }: FilteredTools,
): string {
  const enabled = all.filter((tool) => tool.enabled).length;
  if (query === undefined) return ` (${enabled} enabled, ${all.length - enabled} disabled):`;
  return isClosest
    ? ` (none of ${all.length} has all words of "${query}"; these are the closest):`
    : ` (${listed.length} of ${all.length} with "${query}"):`;
}

function tagLines({ tags }: Tool, isShown: boolean): Line[] {
  return isShown && tags.length > 0 ? [line(2, dim(`Tags: ${tags.join(", ")}`))] : [];
}

function explanationLines({ rule, risk: { risk, origin } }: ToolExplanation): Line[] {
  return [line(2, dim(`Decided by: ${rule}`)), line(2, dim(`Risk: ${risk} (${toOneLine(origin.detail)})`))];
}

function toolLines(tool: Tool, serverTools: readonly Tool[]): Line[] {
  const summary = summaryOf(tool, undefined, serverTools);
  const name = bold(toOneLine(tool.name));
  const head = tool.enabled ? line(0, GOOD, " ", name) : line(0, BAD, " ", name, " (disabled)");
  const spelling = describeSpelling(tool.name);
  return [
    head,
    ...(spelling === undefined ? [] : [line(2, WARNING, ` Spelling: ${toOneLine(spelling)}.`)]),
    ...(summary === "" ? [] : [line(2, summary)]),
  ];
}
