import { isJsonObject, type JsonObject } from "../model/json.js";
import type { DescribedOperation } from "./described.js";
import type { Flattened } from "./flatten.js";
import { toPlainValue } from "./plain-value.js";
import type { References } from "./references.js";
import { bodyMembers } from "./body-members.js";
import { attempt } from "./refuse.js";
import { isEqualJson } from "../util/json/is-equal.js";

const MAX_EXAMPLE_LENGTH = 4_000;

/**
 * Example arguments from the API document: values for the required arguments that have an example, and the members of
 * an example body. Values that do not match the type of their schema are left out.
 */
export function exampleArguments(
  operation: DescribedOperation,
  flattened: Flattened,
  references: References,
): JsonObject | undefined {
  const { required, properties } = flattened.arguments;
  const given = new Map([
    ...ofParameters(operation, flattened, references),
    ...ofBody(operation, flattened, references),
  ]);
  const entries = Object.entries(properties).flatMap(([name, schema]) => {
    const known = given.get(name);
    const isShown = known !== undefined && (required.includes(name) || known.isOfBody);
    return isShown && fits(known.value, schema) ? [[name, known.value] as const] : [];
  });
  const plain = toPlainValue(Object.fromEntries(entries))?.value;
  return isJsonObject(plain) && entries.length > 0 && JSON.stringify(plain).length <= MAX_EXAMPLE_LENGTH
    ? plain
    : undefined;
}

function fits(value: unknown, { type, enum: choices }: JsonObject): boolean {
  if (Array.isArray(choices) && !choices.some((choice) => isEqualJson(choice, value))) return false;
  const types = type === undefined ? [] : Array.isArray(type) ? type : [type];
  return types.length === 0 || types.some((one) => isOfType(value, one));
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isJsonObject(value);
  return type === "integer" ? Number.isInteger(value) : typeof value === type;
}

interface Given {
  readonly value: unknown;
  readonly isOfBody: boolean;
}

function ofParameters(operation: DescribedOperation, flattened: Flattened, references: References): [string, Given][] {
  return operation.parameters.flatMap(({ example, schema, in: location }, index): [string, Given][] => {
    const argument = flattened.parameters[index]?.argument;
    // Skip headers and cookies: their examples may be real secrets.
    if (argument === undefined || location === "header" || location === "cookie") return [];
    const value = example ?? fromSchema(schema, references);
    return value === undefined ? [] : [[argument, { value, isOfBody: false }]];
  });
}

function ofBody({ body }: DescribedOperation, flattened: Flattened, references: References): [string, Given][] {
  if (body === undefined || flattened.body === undefined) return [];
  const { argument, members = [] } = flattened.body;
  const whole = body.example ?? fromSchema(body.schema, references);
  if (argument !== undefined) return whole === undefined ? [] : [[argument, { value: whole, isOfBody: true }]];
  const schemas = isJsonObject(whole) ? undefined : bodyMembers(body.schema, references)?.properties;
  return members.flatMap((member): [string, Given][] => {
    if (isJsonObject(whole)) {
      return Object.hasOwn(whole, member.name)
        ? [[member.argument, { value: whole[member.name], isOfBody: true }]]
        : [];
    }
    const value = fromSchema(schemas?.get(member.name), references);
    return value === undefined ? [] : [[member.argument, { value, isOfBody: false }]];
  });
}

/** The first of the example, default, constant and enum values in the schema. */
function fromSchema(raw: unknown, references: References): unknown {
  const found = attempt(() => ({ schema: references.follow(raw) }));
  if ("refusal" in found || !isJsonObject(found.schema)) return undefined;
  const { example, examples, default: value, const: only, enum: choices } = found.schema;
  const [first] = Array.isArray(examples) ? (examples as unknown[]) : [];
  const [choice] = Array.isArray(choices) ? (choices as unknown[]) : [];
  return example ?? first ?? value ?? only ?? choice;
}
