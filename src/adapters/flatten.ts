// Flattens an operation: all parameters and body members become the arguments of one tool. Also returns how the
// arguments are mapped back to the request.
import { isJsonObject, type JsonObject } from "../model/json.js";
import type { RestBody, RestMember, RestParameter } from "../model/operation.js";
import { nameArguments, type Placed } from "./argument-names.js";
import { bodyMembers, type BodyMembers } from "./body-members.js";
import type { DescribedBody, DescribedOperation, DescribedParameter } from "./described.js";
import { referenceOf, type References } from "./references.js";
import type { Arguments } from "./schema/fit.js";
import type { Lifting } from "./schema/lift.js";
import { toPlainText } from "./text.js";

export interface Flattened {
  readonly arguments: Arguments;
  /** JSON pointers of the definitions that the argument schemas refer to. */
  readonly needs: ReadonlySet<string>;
  readonly parameters: readonly RestParameter[];
  readonly body?: RestBody;
}

export interface FlattenParts {
  readonly references: References;
  readonly lifting: Lifting;
}

interface Argument {
  readonly name: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

export function flatten(operation: DescribedOperation, { references, lifting }: FlattenParts): Flattened {
  const { parameters, body } = operation;
  const members = body === undefined || !isStructured(body) ? undefined : bodyMembers(body.schema, references);
  const locations = locationsOf(parameters, body, members);
  const names = nameArguments([...locations.parameters, ...locations.members]);
  const nameOf = (placed: Placed | undefined): string => (placed && names.get(placed)) ?? "body";
  const needs = new Set<string>();
  const lift = (raw: unknown): JsonObject => liftArgument(raw, { references, lifting, needs });

  const fromParameters = parameters.map((parameter, index): Argument & { readonly parameter: RestParameter } => {
    const name = nameOf(locations.parameters[index]);
    const plain = describe(lift(parameter.schema), parameter.description);
    const schema = parameter.isDeprecated ? { ...plain, deprecated: true } : plain;
    return { name, schema, isRequired: parameter.isRequired, parameter: toRestParameter(parameter, name) };
  });
  const fromBody =
    body === undefined
      ? undefined
      : members === undefined
        ? wholeBody(body, nameOf(locations.members[0]), lift)
        : memberBody(body, { members, names: locations.members.map(nameOf), lift, references });

  const all = [...fromParameters, ...(fromBody?.arguments ?? [])];
  return {
    arguments: {
      properties: Object.fromEntries(all.map(({ name, schema }) => [name, schema])),
      required: all.filter(({ isRequired }) => isRequired).map(({ name }) => name),
      alternatives: fromBody?.alternatives ?? [],
    },
    needs,
    parameters: fromParameters.map(({ parameter }) => parameter),
    ...(fromBody === undefined ? {} : { body: fromBody.body }),
  };
}

function isStructured({ kind }: DescribedBody): boolean {
  return kind === "json" || kind === "form" || kind === "multipart";
}

function locationsOf(
  parameters: readonly DescribedParameter[],
  body: DescribedBody | undefined,
  members: BodyMembers | undefined,
): { readonly parameters: readonly Placed[]; readonly members: readonly Placed[] } {
  const inBody = body === undefined ? [] : members === undefined ? ["body"] : [...members.properties.keys()];
  return {
    parameters: parameters.map(({ in: location, name }) => ({ in: location, name })),
    members: inBody.map((name) => ({ in: "body", name })),
  };
}

type LiftArgument = (raw: unknown) => JsonObject;

/**
 * Converts the schema of an argument. A referenced schema is written inline, so that models see it without following a
 * reference.
 */
function liftArgument(raw: unknown, parts: FlattenParts & { readonly needs: Set<string> }): JsonObject {
  const { references, lifting, needs } = parts;
  const reference = referenceOf(raw);
  const lifted =
    reference === undefined ? lifting.lift(raw) : lifting.definition(references.resolve(reference).pointer);
  for (const pointer of lifted.needs) needs.add(pointer);
  const description = reference !== undefined && isJsonObject(raw) ? raw["description"] : undefined;
  return describe(lifted.schema, toPlainText(description, 1_500));
}

function describe(schema: JsonObject, description: string | undefined): JsonObject {
  return description === undefined ? schema : { ...schema, description };
}

function toRestParameter(parameter: DescribedParameter, argument: string): RestParameter {
  const { name, in: location, style, explode, allowsReserved, isRequired, isJson } = parameter;
  return {
    argument,
    name,
    in: location,
    style,
    explode,
    ...(allowsReserved ? { allowReserved: true } : {}),
    ...(isRequired ? { required: true } : {}),
    ...(isJson ? { isJson: true } : {}),
  };
}

interface FlatBody {
  readonly arguments: readonly Argument[];
  readonly alternatives?: readonly JsonObject[];
  readonly body: RestBody;
}

const FILE = "Path of the file to send.";

function wholeBody(body: DescribedBody, argument: string, lift: LiftArgument): FlatBody {
  const { contentType, kind } = body;
  const isRequired = body.isRequired === true;
  const schema =
    kind === "binary"
      ? { type: "string", description: FILE }
      : kind === "text"
        ? describe({ type: "string" }, body.description)
        : describe(lift(body.schema), body.description);
  return {
    arguments: [{ name: argument, schema, isRequired }],
    body: { contentType, kind, ...(isRequired ? { required: true } : {}), argument },
  };
}

interface MemberParts {
  readonly members: BodyMembers;
  /** The argument name of each member, in the order of `members.properties`. */
  readonly names: readonly string[];
  readonly lift: LiftArgument;
  readonly references: References;
}

function memberBody(body: DescribedBody, { members, names, lift, references }: MemberParts): FlatBody {
  const { contentType, kind } = body;
  const isRequired = body.isRequired ?? members.required.size > 0;
  const all = [...members.properties].map(([name, raw], index) => {
    const encoding = kind === "json" ? {} : body.encoding(name);
    const files = kind === "multipart" ? (encoding.isFile ? "one" : filesIn(raw, references)) : undefined;
    const argument = names[index] ?? name;
    const { isFile: _isFile, ...written } = encoding;
    const member: RestMember = { argument, name, ...written, ...(files === undefined ? {} : { isFile: true }) };
    const schema = files === undefined ? lift(raw) : toFileSchema(lift(raw), files);
    return { member, name: argument, schema, isRequired: body.isRequired !== false && members.required.has(name) };
  });
  const byName = new Map(all.map(({ member }) => [member.name, member.argument]));
  const alternatives = members.alternatives.map(({ keyword, branches }) => ({
    [keyword]: branches.map((branch) => ({ required: branch.map((name) => byName.get(name) ?? name) })),
  }));
  return {
    arguments: all,
    alternatives: body.isRequired === false ? [] : alternatives,
    body: {
      contentType,
      kind,
      ...(isRequired ? { required: true } : {}),
      members: all.map(({ member }) => member),
    },
  };
}

/** Whether the schema of a multipart member describes one file, a list of files or no file (undefined). */
function filesIn(raw: unknown, references: References): "one" | "many" | undefined {
  const schema = references.follow(raw);
  if (!isJsonObject(schema)) return undefined;
  if (isFile(schema)) return "one";
  const items = schema["items"] === undefined ? undefined : references.follow(schema["items"]);
  return isJsonObject(items) && isFile(items) ? "many" : undefined;
}

function isFile({ type, format, contentMediaType, contentEncoding }: JsonObject): boolean {
  if (type === "file") return true;
  if (type !== undefined && type !== "string") return false;
  const isMedia = typeof contentMediaType === "string" && !/^text\/|json$/.test(contentMediaType);
  return format === "binary" || (isMedia && contentEncoding === undefined);
}

const MAX_FILES = 20;

function toFileSchema({ description, maxItems }: JsonObject, files: "one" | "many"): JsonObject {
  const text = typeof description === "string" ? `${description} ${FILE}` : FILE;
  const path = { type: "string" };
  if (files === "one") return { ...path, description: text };
  const limit = typeof maxItems === "number" ? Math.min(maxItems, MAX_FILES) : MAX_FILES;
  return { type: "array", items: path, maxItems: limit, description: text };
}
