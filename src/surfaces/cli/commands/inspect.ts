import type { CatalogServer } from "../../../catalog/snapshot.js";
import type { ToolChange } from "../../../catalog/record.js";
import { DiscoveryError } from "../../../errors.js";
import { describeTool, type ToolDetails, type ToolParameter } from "../../../metatools/describe-tool.js";
import type { JsonObject } from "../../../model/json.js";
import type { Tool } from "../../../model/tool.js";
import type { Ruling } from "../../../policy/ruling.js";
import { toOneLine } from "../../../util/text.js";
import { openTarget } from "../../../operations/calls/tool-target.js";
import type { Handler } from "../command.js";
import { blocks, bold, line, type Line, verbatim, WARNING } from "../../../terminal/lines.js";
import { isToBeConfirmed, rulingData, rulingLines } from "../ruling-lines.js";
import { askingText, LONGEST_START_MS, openWholeCatalog, withEngine } from "../session.js";
import { reasons } from "./tools.js";

export const inspect: Handler = (input, context) =>
  withEngine(context, async (engine) => {
    const words = [input.argument("tool"), ...input.list("name")];
    const {
      server: serverName,
      tool: name,
      rest,
      stages,
    } = await openTarget(words, engine, () => openWholeCatalog(engine, context));
    if (rest.length > 0) throw tooManyWords(rest);
    const tool = await context.wait(stages.discovery.tool(serverName, name, { waitMs: LONGEST_START_MS }), () =>
      askingText(serverName, stages),
    );
    if (input.flag("schema")) {
      context.json(tool.definition.inputSchema);
      return 0;
    }
    const ruling = stages.policy.ruling(tool);
    const page: ToolPage = {
      tool,
      ruling,
      isToBeConfirmed: isToBeConfirmed(ruling, stages.policy.options),
      changes: changesOf(tool, stages.snapshot().servers.get(serverName)),
      ...(tool.enabled ? {} : { disabledBy: reasons(stages)(tool) }),
    };
    if (context.isJson) context.json(inspectData(page));
    else context.show(toolLines(page, input.flag("examples")));
    return 0;
  });

function tooManyWords(words: readonly string[]): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", `Too many arguments: ${words.join(" ")}.`, {
    hint: "Write SERVER:TOOL, SERVER TOOL, or only TOOL if exactly one server has a tool of that name.",
  });
}

/** Everything that `inspect` shows about one tool. */
export interface ToolPage {
  readonly tool: Tool;
  readonly changes: readonly ToolChange[];
  readonly disabledBy?: string;
  /** The policy decision about the tool. */
  readonly ruling: Ruling;
  readonly isToBeConfirmed: boolean;
}

function changesOf(tool: Tool, server: CatalogServer | undefined): readonly ToolChange[] {
  return server?.record?.changes.filter((change) => change.tool === tool.name) ?? [];
}

function inspectData({ tool, changes, disabledBy, ruling, isToBeConfirmed: isAsked }: ToolPage): JsonObject {
  return {
    ...describeTool(tool),
    enabled: tool.enabled,
    ...(disabledBy === undefined ? {} : { rule: disabledBy }),
    ...(tool.tags.length === 0 ? {} : { tags: tool.tags }),
    ...rulingData(ruling),
    confirmation_required: isAsked,
    ...(changes.length === 0
      ? {}
      : { changes: changes.map(({ tool: _name, at, ...change }) => ({ at: time(at), ...change })) }),
  };
}

export function toolLines(page: ToolPage, withExamples: boolean): Line[] {
  const { tool, changes, disabledBy } = page;
  const { parameters, examples = [] } = describeTool(tool);
  return blocks([
    [line(0, "Tool: ", bold(toOneLine(tool.id)))],
    disabledBy === undefined ? [] : [line(0, WARNING, ` Disabled: ${disabledBy}. The tool cannot be executed.`)],
    [line(0, "Description:"), line(2, (tool.definition.description ?? tool.definition.title ?? "").trim() || "None.")],
    [line(0, "Parameters:"), ...parameterLines(parameters)],
    tool.tags.length === 0 ? [] : [line(0, `Tags: ${tool.tags.join(", ")}`)],
    rulingLines(page.ruling, page.isToBeConfirmed),
    withExamples ? [line(0, "Examples:"), ...exampleLines(examples)] : [],
    changes.length === 0 ? [] : [line(0, "Changes since the tool was first seen:"), ...changes.map(changeLine)],
  ]);
}

function parameterLines(parameters: readonly ToolParameter[]): Line[] {
  if (parameters.length === 0) return [line(2, "None.")];
  return blocks(
    parameters.map(({ name, type, required, description }) => [
      line(2, bold(name), ` (${type}, ${required ? "required" : "optional"})`),
      ...(description === undefined ? [] : [line(4, description)]),
    ]),
  );
}

function exampleLines(examples: NonNullable<ToolDetails["examples"]>): Line[] {
  if (examples.length === 0) return [line(2, "None.")];
  return blocks(
    examples.map(({ description, parameters }, index) => [
      line(2, `${description ?? `Example ${index + 1}`}:`),
      ...Object.entries(parameters).map(([name, value]) => verbatim(4, `${name}: ${JSON.stringify(value)}`)),
    ]),
  );
}

function changeLine({ at, kind, members }: ToolChange): Line {
  return line(2, `${time(at)} ${kind}${members === undefined ? "" : ` (${members.join(", ")})`}`);
}

function time(at: number): string {
  return new Date(at).toISOString();
}
