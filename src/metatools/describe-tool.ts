import { isJsonObject, type JsonObject } from "../model/json.js";
import type { Tool } from "../model/tool.js";
import { cutAtSentence } from "../util/cut-at-sentence.js";
import { findHiddenText, type HiddenCharacters, withoutHiddenText } from "../util/hidden-text.js";
import { toOneLine } from "../util/text.js";
import { describeInput } from "./describe-input.js";
import { limitParameters } from "./parameter-limit.js";
import type { ToolDetails, ToolExample, ToolParameter } from "./tool-details.js";

export type { ToolDetails, ToolExample, ToolParameter };

const DESCRIPTION_LENGTH = 260;
const PARAMETER_LENGTH = 120;
/**
 * Descriptions are shortened only if the result becomes shorter by more than this many characters: the member that
 * says so, and a second call for the rest, cost more than a few words.
 */
const MIN_SAVED_LENGTH = 100;

export function toolUri(tool: Tool): string {
  return `anygpt://tools/${encodeURIComponent(tool.server)}/${encodeURIComponent(tool.name)}`;
}

export interface DescribeOptions {
  /** Whether the descriptions of the tool and its parameters are complete. Those inside types may still be cut. */
  readonly isWhole?: boolean;
}

/**
 * Describes a tool for callers in few tokens. All constraints of the parameters are included. If a long description is
 * cut, `full` is the URI of the resource with the complete definition.
 */
export function describeTool(tool: Tool, { isWhole = false }: DescribeOptions = {}): ToolDetails {
  const { description: given = tool.definition.title ?? "", inputSchema } = tool.definition;
  const description = withoutHiddenText(given);
  const { isCut, parameters: described, ...input } = limitParameters(describeInput(inputSchema));
  const parameters = described.map((one) => withDescription(one, withoutHiddenText));
  const texts = isWhole ? toWhole(description, parameters) : shortenTexts(description, parameters);
  const hidden = findHiddenText(tool.definition);
  const examples = toExamples(inputSchema["examples"]);
  const isShort = isCut || texts.isCut || examples.isCut || input.omitted !== undefined;
  return {
    server: tool.server,
    tool: tool.name,
    description: texts.description,
    parameters: texts.parameters,
    ...input,
    ...(examples.shown.length > 0 ? { examples: examples.shown } : {}),
    ...(hidden === undefined ? {} : { hidden: describeHidden(hidden) }),
    ...(isShort ? { full: toolUri(tool) } : {}),
  };
}

export function toParameters(schema: JsonObject): readonly ToolParameter[] {
  return shortenTexts("", describeInput(schema).parameters).parameters;
}

function describeHidden({ characters, kinds }: HiddenCharacters): string {
  return `The server's definition contains ${characters} hidden characters (${kinds.join(", ")}). Users do not see them.`;
}

interface Texts {
  readonly description: string;
  readonly parameters: readonly ToolParameter[];
  readonly isCut: boolean;
}

/**
 * Cuts long descriptions at the end of a sentence. Does not cut them if that saves at most `MIN_SAVED_LENGTH`
 * characters in total.
 */
function shortenTexts(description: string, parameters: readonly ToolParameter[]): Texts {
  const short = {
    description: cutAtSentence(description, DESCRIPTION_LENGTH),
    parameters: parameters.map((one) => withDescription(one, (text) => cutAtSentence(text, PARAMETER_LENGTH))),
  };
  const saved = lengthOf(description, parameters) - lengthOf(short.description, short.parameters);
  return saved > MIN_SAVED_LENGTH ? { ...short, isCut: true } : toWhole(description, parameters);
}

function toWhole(description: string, parameters: readonly ToolParameter[]): Texts {
  return {
    description: toOneLine(description),
    parameters: parameters.map((one) => withDescription(one, toOneLine)),
    isCut: false,
  };
}

function withDescription(parameter: ToolParameter, shorten: (text: string) => string): ToolParameter {
  return parameter.description === undefined
    ? parameter
    : { ...parameter, description: shorten(parameter.description) };
}

function lengthOf(description: string, parameters: readonly ToolParameter[]): number {
  return parameters.reduce((sum, parameter) => sum + (parameter.description?.length ?? 0), description.length);
}

const MAX_EXAMPLES = 3;

function toExamples(examples: unknown): { readonly shown: readonly ToolExample[]; readonly isCut: boolean } {
  const usable = Array.isArray(examples) ? examples.filter(isJsonObject) : [];
  return {
    shown: usable.slice(0, MAX_EXAMPLES).map((parameters) => ({ parameters })),
    isCut: usable.length > MAX_EXAMPLES,
  };
}
