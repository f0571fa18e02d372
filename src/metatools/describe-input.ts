import { isJsonObject, type JsonObject } from "../model/json.js";
import { cutAtWord } from "../util/text.js";
import { createTypeWriter, descriptionOf, type TypeWriter } from "../util/type-expression.js";
import type { ToolDetails, ToolParameter } from "./tool-details.js";
import { toParameterNote } from "./parameter-note.js";

const NOTE_LENGTHS = [80, 40, 0];
const MAX_TYPE_LENGTH = 1_500;
const MAX_PARTS = 250;
const HINT_LENGTH = 100;

/** The part of a tool's description that is derived from its input schema. */
export interface DescribedInput
  extends Pick<ToolDetails, "parameters" | "additional" | "types" | "inputSchema" | "omitted"> {
  readonly isCut: boolean;
}

/**
 * Describes the parameters in an input schema with all their constraints. If the type expressions have more than
 * `MAX_TYPE_LENGTH` characters, the descriptions inside the type expressions are shortened and, if necessary, omitted.
 */
export function describeInput(schema: JsonObject): DescribedInput {
  const lengths = isLarge(schema) ? NOTE_LENGTHS.slice(-1) : NOTE_LENGTHS;
  let input = describeWith(schema, lengths[0] ?? 0);
  for (const noteLength of lengths.slice(1)) {
    const length = lengthOf(input);
    if (length <= MAX_TYPE_LENGTH) break;
    if (noteLength === 0 || length <= 2 * MAX_TYPE_LENGTH) input = describeWith(schema, noteLength);
  }
  return input;
}

/**
 * Whether a schema has so many nested objects that type expressions with descriptions would always exceed
 * `MAX_TYPE_LENGTH` characters.
 */
function isLarge(schema: unknown): boolean {
  const open: unknown[] = [schema];
  for (let count = 0; open.length > 0; count++) {
    if (count + open.length > MAX_PARTS) return true;
    for (const member of Object.values(open.pop() ?? {})) if (typeof member === "object") open.push(member);
  }
  return false;
}

function lengthOf({ parameters, types = {} }: DescribedInput): number {
  const texts = [...parameters.map(({ type }) => type), ...Object.values(types)];
  return texts.reduce((sum, text) => sum + text.length, 0);
}

function describeWith(schema: JsonObject, noteLength: number): DescribedInput {
  const writer = createTypeWriter(schema, { noteLength });
  const described = membersOf(schema).map((member) => describeParameter(member, schema, writer));
  const additional = additionalOf(schema, writer);
  const parameters = described.map(({ parameter }) => parameter);
  const isExpressed = isExpressedByParameters(schema) && described.every(({ isSelfContained }) => isSelfContained);
  const isCut = described.some((one) => one.isCut);
  if (!isExpressed || additional?.isWhole === false) {
    return { parameters: parameters.map((one) => ({ ...one, type: shorten(one.type) })), inputSchema: schema, isCut };
  }
  const types = writer.types();
  return {
    parameters,
    ...(additional === undefined ? {} : { additional: additional.text }),
    ...(Object.keys(types).length > 0 ? { types } : {}),
    isCut: isCut || additional?.isCut === true,
  };
}

/**
 * Shortens a type expression. Used if the result also contains the JSON Schema, so that the type expression is only a
 * hint.
 */
function shorten(type: string): string {
  return cutAtWord(type, HINT_LENGTH);
}

interface Member {
  readonly name: string;
  readonly schema: unknown;
  readonly required: boolean;
}

function membersOf({ properties = {}, required = [], additionalProperties: rest = {} }: JsonObject): Member[] {
  const needed = new Set(Array.isArray(required) ? required.filter((name) => typeof name === "string") : []);
  const members = Object.entries(isJsonObject(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    schema,
    required: needed.delete(name),
  }));
  return [...members, ...[...needed].map((name) => ({ name, schema: rest, required: true }))];
}

function describeParameter({ name, schema, required }: Member, root: JsonObject, writer: TypeWriter) {
  const { text, isWhole, isCut } = writer.write(schema);
  const note = toParameterNote(name, schema, descriptionOf(schema, root));
  const isRaw = !isWhole && !hasReference(schema);
  const parameter: ToolParameter = {
    name,
    type: isRaw ? shorten(text) : text,
    required,
    ...(note === "" ? {} : { description: note }),
    ...(isRaw ? { schema } : {}),
  };
  return { parameter, isCut, isSelfContained: isWhole || isRaw };
}

function additionalOf({ additionalProperties: rest }: JsonObject, writer: TypeWriter) {
  return rest === undefined || rest === false ? undefined : writer.write(rest);
}

/**
 * Whether a schema contains `$ref`. Such a schema cannot be shown alone, because the reference points into the document
 * that contains it.
 */
function hasReference(schema: unknown): boolean {
  return JSON.stringify(schema).includes('"$ref"');
}

const EXPRESSED = new Set(["type", "properties", "required", "additionalProperties", "examples"]);
const WITHOUT_CONSTRAINT = /^(?:\$schema|\$id|id|\$comment|\$defs|definitions|title|description|x-.*)$/u;

/**
 * Whether a list of parameters expresses the whole schema. False if the root has conditions across parameters, such as
 * `oneOf` or `if`.
 */
function isExpressedByParameters(schema: JsonObject): boolean {
  const { type = "object", properties = {}, required = [] } = schema;
  const isPlain = type === "object" && isJsonObject(properties) && Array.isArray(required);
  return isPlain && Object.keys(schema).every((keyword) => EXPRESSED.has(keyword) || WITHOUT_CONSTRAINT.test(keyword));
}
