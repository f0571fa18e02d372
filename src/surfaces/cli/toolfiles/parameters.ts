// Words of a command line and a tool's schema come in; the tool's arguments as JSON text go out. It refuses to know whether they fit.
import { DiscoveryError } from "../../../errors.js";
import { isJsonObject, type JsonObject } from "../../../model/json.js";
import { nearestNames } from "../../../search/nearest.js";
import { parseStrictJson } from "../../../util/json/parse-strict.js";
import { isMalformed } from "../../../util/json/violation.js";
import { followReference } from "../../../util/schema-reference.js";

const DEEPEST = 20;

/** `a=b` by the type that the schema gives to `a`; `a:=json` is JSON whatever its type. */
export function toParameterText(pairs: readonly string[], schema: JsonObject): string {
  const properties = propertiesOf(schema);
  const members = pairs.map((pair) => {
    const { name, value, isJson } = split(pair);
    const types = typesOf(name, properties, schema);
    const text = isJson ? checked(name, value, "JSON") : toJson(name, value, types);
    return `${JSON.stringify(name)}:${text}`;
  });
  return `{${members.join(",")}}`;
}

function split(pair: string): { name: string; value: string; isJson: boolean } {
  const at = pair.indexOf("=");
  const isJson = pair[at - 1] === ":";
  const name = pair.slice(0, isJson ? at - 1 : at);
  if (at > 0 && name !== "") return { name, value: pair.slice(at + 1), isJson };
  throw wrong(
    `${JSON.stringify(name === "" || at === -1 ? pair : name)} is no parameter.`,
    "Write NAME=VALUE, NAME:=JSON, or all of them with --params '{…}'.",
  );
}

type Properties = ReadonlyMap<string, readonly unknown[]>;

function typesOf(name: string, properties: Properties, schema: JsonObject): ReadonlySet<string> {
  const schemas = properties.get(name);
  if (schemas !== undefined) return new Set(schemas.flatMap((one) => [...typesIn(one, schema, 0)]));
  const others = schema["additionalProperties"];
  const isOpen = others === true || isJsonObject(others) || isJsonObject(schema["patternProperties"]);
  if (isOpen || properties.size === 0) return typesIn(others, schema, 0);
  const near = nearestNames(name, properties.keys());
  const hint =
    near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `It takes: ${[...properties.keys()].join(", ")}.`;
  throw wrong(`The tool has no parameter ${JSON.stringify(name)}.`, hint);
}

/** Those of the schema itself and of everything that it is put together from. */
function propertiesOf(root: JsonObject): Properties {
  const found = new Map<string, unknown[]>();
  const visit = (schema: unknown, depth: number): void => {
    if (!isJsonObject(schema) || depth > DEEPEST) return;
    const members = isJsonObject(schema["properties"]) ? schema["properties"] : {};
    for (const [name, member] of Object.entries(members)) found.set(name, [...(found.get(name) ?? []), member]);
    for (const part of partsOf(schema, root)) visit(part, depth + 1);
  };
  visit(root, 0);
  return found;
}

function typesIn(schema: unknown, root: JsonObject, depth: number): ReadonlySet<string> {
  if (!isJsonObject(schema) || depth > DEEPEST) return new Set();
  const { type, enum: values, const: only } = schema;
  const named = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === "string");
  if (named.length > 0) return new Set(named);
  const examples = Array.isArray(values) ? values : only === undefined ? [] : [only];
  if (examples.length > 0) return new Set(examples.map(typeOf));
  return new Set(partsOf(schema, root).flatMap((part) => [...typesIn(part, root, depth + 1)]));
}

function partsOf(schema: JsonObject, root: JsonObject): unknown[] {
  const reference = schema["$ref"];
  const lists = ["allOf", "anyOf", "oneOf"].flatMap((keyword) => schema[keyword]);
  return [...(typeof reference === "string" ? [followReference(reference, root)] : []), ...lists];
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** What may be a text is one, as it is written. Of nothing is known what it is: it is a text too. */
function toJson(name: string, value: string, types: ReadonlySet<string>): string {
  if (types.size === 0 || types.has("string")) return JSON.stringify(value);
  if (types.has("boolean") && (value === "true" || value === "false")) return value;
  if (types.has("null") && value === "null") return value;
  const isNumber = types.has("number") || types.has("integer");
  if (isNumber && /^-?\d/.test(value)) return checked(name, value, "a number");
  if (types.has("object") || types.has("array")) return checked(name, value, "JSON");
  const wanted = isNumber ? "a number" : types.has("boolean") ? "true or false" : [...types].join(" or ");
  throw wrong(`The parameter ${JSON.stringify(name)} has to be ${wanted}.`, `Write ${name}:=JSON for anything else.`);
}

/** What would be silently changed on its way is left to the executor, which refuses it on record. */
function checked(name: string, value: string, wanted: string): string {
  const parsed = parseStrictJson(value);
  const fault = parsed.kind === "refused" ? parsed.violations.find(isMalformed) : undefined;
  if (fault === undefined) return value;
  const reason = fault.kind === "not-json" ? `has to be ${wanted}` : fault.message;
  throw wrong(
    `The parameter ${JSON.stringify(name)} ${reason}.`,
    `In a shell, put single quotes around it: '${name}:=[1, 2]'.`,
  );
}

function wrong(message: string, hint: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, { hint });
}
