// Converts the arguments of a command line into JSON text, with the types of the tool's schema. Numbers stay text until
// a strict parser reads them, so that a number too large for JavaScript is rejected and not rounded.
import { DiscoveryError } from "../../errors.js";
import type { JsonObject } from "../../model/json.js";
import { nearestNames } from "../../search/nearest.js";
import { parseStrictJson } from "../../util/json/parse-strict.js";
import { isMalformed } from "../../util/json/violation.js";
import { createSchemaFacts, type SchemaFacts, type Schemas } from "./schema-facts.js";

/** One `name=value` or `name:=json`. If the command line names a file, `value` is its content. */
export interface NamedArgument {
  /** The argument's name as typed. Dots separate the members of nested objects. */
  readonly name: string;
  readonly value: string;
  readonly isJson: boolean;
}

/** An argument with the path of its value and the schemas that apply to it. */
interface Placed extends NamedArgument {
  readonly path: readonly string[];
  readonly schemas: Schemas;
}

/** A value as JSON text, or the members of an object. */
type Node = string | Map<string, Node>;

export function toArgumentText(named: readonly NamedArgument[], schema: JsonObject): string {
  const facts = createSchemaFacts(schema);
  const groups = new Map<string, Placed[]>();
  for (const argument of named) {
    const placed = { ...argument, ...locate(argument.name, argument.name, [schema], facts) };
    const key = JSON.stringify(placed.path);
    groups.set(key, [...(groups.get(key) ?? []), placed]);
  }
  const root = new Map<string, Node>();
  for (const group of groups.values()) insert(root, group, facts);
  return toText(root);
}

/**
 * Finds the member that a name refers to: `a.b` is the member `a.b` if the schema has one, else the member `b` of `a`.
 */
function locate(name: string, typed: string, schemas: Schemas, facts: SchemaFacts): Pick<Placed, "path" | "schemas"> {
  const properties = facts.properties(schemas);
  const exact = properties.get(name);
  if (exact !== undefined) return { path: [name], schemas: exact };
  const others = facts.otherProperties(schemas);
  const dot = name.indexOf(".");
  const head = dot > 0 && dot < name.length - 1 ? name.slice(0, dot) : name;
  const member = properties.get(head) ?? others;
  if (member === undefined) throw unknownName(typed, head, [...properties.keys()]);
  if (head === name) return { path: [name], schemas: member };
  const { path, schemas: inner } = locate(name.slice(dot + 1), typed, member, facts);
  return { path: [head, ...path], schemas: inner };
}

function unknownName(typed: string, name: string, known: readonly string[]): DiscoveryError {
  const near = nearestNames(name, known);
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `Its arguments are: ${known.join(", ")}.`;
  const where = typed === name ? "" : ` (in ${typed}=…)`;
  return invalidRequest(`The tool has no argument ${JSON.stringify(name)}${where}.`, hint);
}

function insert(root: Map<string, Node>, group: readonly Placed[], facts: SchemaFacts): void {
  const [first] = group;
  if (first === undefined) return;
  let members = root;
  for (const step of first.path.slice(0, -1)) {
    const member = members.get(step) ?? new Map<string, Node>();
    if (typeof member === "string") throw bothSet(first, step);
    members.set(step, member);
    members = member;
  }
  const last = first.path.at(-1) ?? "";
  if (members.has(last)) throw bothSet(first, last);
  members.set(last, groupText(group, facts));
}

function bothSet({ name }: Placed, member: string): DiscoveryError {
  return invalidRequest(
    `The argument ${JSON.stringify(name)} sets a part of ${JSON.stringify(member)}, which another argument sets as a whole.`,
    "Remove one of the two arguments.",
  );
}

/** The JSON text of an argument. If it occurs several times, each occurrence is an item of an array. */
function groupText(group: readonly Placed[], facts: SchemaFacts): string {
  const [first, second] = group;
  if (first === undefined) return "null";
  if (second === undefined) return valueText(first, facts);
  if (!facts.types(first.schemas).has("array")) {
    const message = `The argument ${JSON.stringify(first.name)} occurs ${group.length} times, but it is not an array.`;
    throw invalidRequest(message, "Write it once.");
  }
  return arrayText(group, facts);
}

function arrayText(group: readonly Placed[], facts: SchemaFacts): string {
  return `[${group.map((one) => valueText({ ...one, schemas: facts.items(one.schemas) }, facts)).join(",")}]`;
}

/** The JSON text of a value. If the schema allows a string or names no type, the value is a string. */
function valueText(argument: Placed, facts: SchemaFacts): string {
  const { name, value, isJson, schemas } = argument;
  if (isJson) return checkedJson(name, value, "JSON");
  const types = facts.types(schemas);
  if (types.size === 0 || types.has("string")) return JSON.stringify(value);
  if (types.has("boolean") && (value === "true" || value === "false")) return value;
  if (types.has("null") && value === "null") return value;
  const isNumber = types.has("number") || types.has("integer");
  if (isNumber && /^-?\d/.test(value)) return checkedJson(name, value, "a number");
  if (types.has("array") && !/^\s*\[/.test(value)) return arrayText([argument], facts);
  if (types.has("object") || types.has("array")) return checkedJson(name, value, "JSON");
  const wanted = isNumber ? "a number" : types.has("boolean") ? "true or false" : [...types].join(" or ");
  throw invalidRequest(
    `The argument ${JSON.stringify(name)} must be ${wanted}.`,
    `Write ${name}:=JSON to pass any other JSON value.`,
  );
}

/**
 * Throws if the text is not JSON. Accepts duplicate keys and other flaws that parsing would hide: the executor rejects
 * them. The message does not contain the value, which may be a secret.
 */
function checkedJson(name: string, value: string, wanted: string): string {
  const parsed = parseStrictJson(value);
  const fault = parsed.kind === "refused" ? parsed.violations.find(isMalformed) : undefined;
  if (fault === undefined) return value;
  const reason = fault.kind === "not-json" ? `must be ${wanted}` : fault.message;
  throw invalidRequest(
    `The argument ${JSON.stringify(name)} ${reason}.`,
    `In a shell, put single quotes around the argument: '${name}:=[1, 2]'.`,
  );
}

function toText(members: ReadonlyMap<string, Node>): string {
  const parts = [...members].map(([name, node]) => {
    return `${JSON.stringify(name)}:${typeof node === "string" ? node : toText(node)}`;
  });
  return `{${parts.join(",")}}`;
}

function invalidRequest(message: string, hint: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, { hint });
}
