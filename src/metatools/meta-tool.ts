import { z } from "zod";
import { DiscoveryError } from "../errors.js";
import { toSignature } from "../catalog/signature.js";
import { coerceValue } from "../executor/coerce-value.js";
import type { CallContext, CallResult } from "../model/call.js";
import { isJsonObject, type JsonObject } from "../model/json.js";

/**
 * A tool that the gateway itself provides, such as `search_tools`. It is defined once and available on every surface.
 */
export interface MetaTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** Whether the tool only reads data. Clients may run such tools without asking the user. */
  readonly readOnly: boolean;
  run(args: unknown, context: CallContext): Promise<MetaAnswer>;
}

/** `data`: a result that the gateway created. `result`: the result of a server's tool, which is forwarded unchanged. */
export type MetaAnswer =
  | { readonly kind: "data"; readonly data: JsonObject }
  | { readonly kind: "result"; readonly result: CallResult };

export interface MetaToolSource<Input extends z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  readonly readOnly: boolean;
  /** Default values for arguments that the published schema requires but models sometimes omit. */
  readonly defaults?: JsonObject;
  /** Other names of arguments that models use, each with the published name. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Whether `run` itself rejects ambiguous arguments (`context.flaws`). If not, they are rejected before `run`. */
  readonly rejectsFlaws?: boolean;
  readonly run: (args: z.output<Input>, context: CallContext) => Promise<MetaAnswer>;
}

export function defineMetaTool<Input extends z.ZodType>(source: MetaToolSource<Input>): MetaTool {
  const { name, description, input, readOnly, defaults, aliases = {}, rejectsFlaws = false, run } = source;
  const inputSchema = toInputSchema(input);
  const parse = (args: unknown) => {
    const given = isJsonObject(args) ? { ...defaults, ...withPublishedNames(args, aliases) } : (args ?? {});
    const parsed = input.safeParse(given);
    if (parsed.success) return parsed;
    // Models send "5" for a number here too.
    const { value, coercions } = coerceValue(inputSchema, given);
    const converted = coercions.length === 0 ? parsed : input.safeParse(value);
    return converted.success ? converted : parsed;
  };
  return {
    name,
    description,
    readOnly,
    inputSchema,
    async run(args, context) {
      const parsed = parse(args);
      if (!parsed.success) {
        throw malformed(name, parsed.error, `Match the signature ${toSignature({ name, inputSchema })}.`);
      }
      const { flaws = [] } = context;
      if (!rejectsFlaws && flaws.length > 0) throw ambiguous(name, flaws);
      return await run(parsed.data, context);
    },
  };
}

/** Renames an argument with another name, unless the argument is also there under its published name. */
function withPublishedNames(args: JsonObject, aliases: Readonly<Record<string, string>>): JsonObject {
  const renamed = { ...args };
  for (const [alias, name] of Object.entries(aliases)) {
    if (!Object.hasOwn(renamed, alias) || Object.hasOwn(renamed, name)) continue;
    renamed[name] = renamed[alias];
    delete renamed[alias];
  }
  return renamed;
}

/** Runs a meta-tool and returns its data, so that the CLI and the REST API return the same object as MCP. */
export async function metaToolData(
  metaTools: readonly MetaTool[],
  name: string,
  args: JsonObject,
  context: CallContext,
): Promise<JsonObject> {
  const metaTool = metaTools.find((one) => one.name === name);
  if (metaTool === undefined) throw new TypeError(`No meta-tool is named "${name}".`);
  const answer = await metaTool.run(args, context);
  return answer.kind === "data" ? answer.data : { ...answer.result };
}

/** Returns the published JSON Schema without keywords that models do not need, which saves tokens. */
function toInputSchema(input: z.ZodType): JsonObject {
  const {
    $schema: _dialect,
    additionalProperties: _closed,
    ...schema
  } = z.toJSONSchema(input, {
    io: "input",
    override: ({ jsonSchema }) => {
      delete jsonSchema.additionalProperties;
      delete jsonSchema.propertyNames;
      // A model does not send an empty text. If one does, the error names the argument.
      if (jsonSchema.minLength === 1) delete jsonSchema.minLength;
    },
  }) as JsonObject;
  return schema;
}

export function malformed(
  name: string,
  error: z.ZodError,
  hint = `Read the input schema of ${name} and correct the arguments.`,
): DiscoveryError {
  const problems = error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join(".")}: ${message}` : message,
  );
  return new DiscoveryError("INVALID_REQUEST", `${name} received invalid arguments: ${problems.join("; ")}.`, {
    hint,
    facts: { problems },
  });
}

function ambiguous(name: string, flaws: NonNullable<CallContext["flaws"]>): DiscoveryError {
  const problems = flaws.map(({ path, message }) => `${path} ${message}`);
  return new DiscoveryError("INVALID_REQUEST", `${name} received invalid arguments: ${problems.join("; ")}.`, {
    hint: "Pass each argument once, with a value that every JSON parser reads the same way.",
    facts: { problems },
  });
}
