import type { ToolChange } from "../../../catalog/record.js";
import { describeTool, type ToolDetails, type ToolParameter } from "../../../metatools/describe-tool.js";
import { describeCut } from "../../../metatools/details-answer.js";
import type { JsonObject } from "../../../model/json.js";
import type { Tool } from "../../../model/tool.js";
import { openTarget } from "../../../operations/calls/tool-target.js";
import { inspectTool, READ_ALL, type ToolPage, toToolJson } from "../../../operations/tools/tool-page.js";
import { BLANK, blocks, bold, count, dim, line, type Line, verbatim, WARNING } from "../../../terminal/lines.js";
import { invalidRequest } from "../../../util/invalid-request.js";
import { cutText } from "../../../util/bounded-texts.js";
import { toOneLine } from "../../../util/text.js";
import { engineCommand, openWholeCatalog, waitForTool } from "../session.js";
import type { Ruling } from "../../../policy/ruling.js";
import { riskPart } from "../call-lines.js";
import { describeSpan } from "../../../util/time-words.js";

const HOW = "Write SERVER:TOOL, SERVER TOOL, or only TOOL if exactly one server has a tool of that name.";

export const inspect = engineCommand(async (engine, input, context) => {
  const words = [input.argument("tool"), ...input.list("name")];
  const target = await openTarget(words, engine, () => openWholeCatalog(engine, context));
  if (target.rest.length > 0) throw invalidRequest(`Too many arguments: ${target.rest.join(" ")}.`, HOW);
  const tool = await waitForTool(target, context);
  if (input.flag("schema")) return context.json(tool.definition.inputSchema);
  const page = inspectTool(tool, target.stages);
  const isFull = input.flag("full");
  context.reply(toToolJson(page, isFull), () => toolLines(page, { withExamples: input.flag("examples"), isFull }));
  const cut = isFull || context.isJson ? undefined : describeCut(describeInputs(tool), READ_ALL);
  if (cut !== undefined) context.aside([BLANK, line(0, dim(cut))]);
});

interface Shown {
  readonly withExamples: boolean;
  readonly isFull: boolean;
}

/** Describes the parameters of a tool. The description of the tool is always shown in full, so it counts as not cut. */
function describeInputs(tool: Tool, isWhole = false): ToolDetails {
  return describeTool({ ...tool, definition: { ...tool.definition, description: "" } }, { isWhole });
}

function toolLines(page: ToolPage, { withExamples, isFull }: Shown): Line[] {
  const { tool, changes, disabledBy } = page;
  const { parameters, examples = [] } = describeInputs(tool, isFull);
  return blocks([
    [line(0, "Tool: ", bold(toOneLine(tool.id)))],
    disabledBy === undefined ? [] : [line(0, WARNING, ` Disabled: ${disabledBy}. The tool cannot be executed.`)],
    ["Description:", line(2, descriptionOf(tool, isFull) || "None.")],
    ["Parameters:", ...parameterLines(parameters)],
    isFull ? ["Schema:", ...schemaLines(tool.definition.inputSchema)] : [],
    tool.tags.length === 0 ? [] : [`Tags: ${tool.tags.join(", ")}`],
    rulingLines(page.ruling, page.isToBeConfirmed),
    withExamples ? ["Examples:", ...exampleLines(examples)] : [],
    changes.length === 0 ? [] : ["Changes since the tool was first seen:", ...changes.map(changeLine)],
  ]);
}

/** In full, unless a hostile server has sent a description that nobody can read. */
function descriptionOf({ definition }: Tool, isFull: boolean): string {
  const text = (definition.description ?? definition.title ?? "").trim();
  return isFull ? text : cutText(text);
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

function schemaLines(schema: JsonObject): Line[] {
  return JSON.stringify(schema, null, 2)
    .split("\n")
    .map((text) => verbatim(2, text));
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
  return line(2, `${new Date(at).toISOString()} ${kind}${members === undefined ? "" : ` (${members.join(", ")})`}`);
}

function rulingLines({ risk, scopes, bucket, key }: Ruling, isAsked: boolean): Line[] {
  return [
    line(0, "Risk: ", riskPart(risk.risk), ` (${risk.origin.detail})${isAsked ? "; calls need a confirmation" : ""}`),
    ...(scopes.length === 0 ? [] : [`Required scopes: ${scopes.join(", ")}`]),
    ...(bucket === undefined ? [] : [`Rate limit: ${describeBucket(bucket)}`]),
    `Idempotent: ${key.isIdempotent ? "yes" : "no"}; ${describeKey(key)}`,
  ];
}

function describeBucket({ name, calls, perMs, per }: NonNullable<Ruling["bucket"]>): string {
  const whose = per === "actor" ? "for each actor" : "shared by all actors";
  return `${name} (${count(calls, "call")} in ${describeSpan(perMs)}, ${whose})`;
}

function describeKey({ sendAs }: Ruling["key"]): string {
  if (sendAs === undefined) return "the server does not receive idempotency keys";
  return `the server receives idempotency keys ${sendAs === "_meta" ? "in _meta" : `as the argument ${sendAs}`}`;
}
