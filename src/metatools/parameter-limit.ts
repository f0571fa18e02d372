import { cutAtWord } from "../util/text.js";
import type { DescribedInput } from "./describe-input.js";
import type { ToolParameter } from "./tool-details.js";

/** The maximum size of parameters, types and schemas in a result, in characters: about 10,000 tokens. */
const MAX_CHARACTERS = 40_000;
const SHORT_TYPE = 200;
const MAX_NAMED = 20;

/**
 * If the description of a tool's input exceeds the limit, shortens its largest parts and lists their names in
 * `omitted`.
 */
export function limitParameters(input: DescribedInput): DescribedInput {
  if (sizeOf(input) <= MAX_CHARACTERS) return input;
  const { inputSchema, ...rest } = input;
  return fit({ ...rest, omitted: inputSchema === undefined ? [] : ["inputSchema"] });
}

function fit(input: DescribedInput): DescribedInput {
  const omitted = [...(input.omitted ?? [])];
  const parameters = [...input.parameters];
  const types = { ...input.types };
  let size = sizeOf(input);
  for (const large of toLargeParts(parameters, types)) {
    if (size <= MAX_CHARACTERS) break;
    size -= large.shorten();
    omitted.push(large.name);
  }
  const remaining = withinLimit(parameters, MAX_CHARACTERS - sizeOf(types));
  const dropped = parameters.length - remaining.length;
  const named = omitted.slice(0, MAX_NAMED);
  return {
    ...input,
    parameters: remaining,
    ...(input.types === undefined ? {} : { types }),
    omitted: [
      ...named,
      ...(omitted.length > named.length ? [`${omitted.length - named.length} more types`] : []),
      ...(dropped > 0 ? [`${dropped} more parameters`] : []),
    ],
  };
}

interface LargePart {
  readonly name: string;
  readonly size: number;
  /** Replaces the part with a short hint and returns the number of characters saved. */
  shorten(): number;
}

function toLargeParts(parameters: ToolParameter[], types: Record<string, string>): LargePart[] {
  const ofParameters = parameters.map((parameter, index): LargePart => {
    const size = sizeOf(parameter);
    const shorten = () => {
      const { schema: _schema, ...rest } = parameter;
      const short = { ...rest, type: toHint(parameter.type) };
      parameters[index] = short;
      return size - sizeOf(short);
    };
    return { name: parameter.name, size, shorten };
  });
  const ofTypes = Object.entries(types).map(([name, type]): LargePart => {
    const shorten = () => {
      types[name] = toHint(type);
      return sizeOf(type) - sizeOf(toHint(type));
    };
    return { name, size: sizeOf(type), shorten };
  });
  return [...ofParameters, ...ofTypes].filter(({ size }) => size > 2 * SHORT_TYPE).sort((a, b) => b.size - a.size);
}

/** Drops parameters at the end of the list, first optional ones: without a required one, no call can succeed. */
function withinLimit(parameters: readonly ToolParameter[], max: number): ToolParameter[] {
  const byNeed = [...parameters.filter(({ required }) => required), ...parameters.filter(({ required }) => !required)];
  let size = 0;
  const kept = new Set(
    byNeed.filter((parameter) => {
      size += sizeOf(parameter);
      return size <= max;
    }),
  );
  return parameters.filter((parameter) => kept.has(parameter));
}

function toHint(type: string): string {
  return cutAtWord(type, SHORT_TYPE);
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value).length;
}
