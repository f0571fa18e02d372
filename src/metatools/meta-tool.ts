import { z } from "zod";
import { DiscoveryError } from "../errors.js";
import type { Actor } from "../model/actor.js";
import type { AskPerson, Call, CallerPeer, CallEvent, CallResult } from "../model/call.js";
import { isJsonObject, type JsonObject } from "../model/json.js";

/** One of the gateway's own tools: declared once, served by every surface. */
export interface MetaTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** Whether it only looks: clients may let such calls pass without asking. */
  readonly readOnly: boolean;
  run(args: unknown, context: MetaContext): Promise<MetaAnswer>;
}

/** Who asks, and how to reach them while the answer is under way. */
export interface MetaContext {
  readonly actor: Actor;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: CallEvent) => void) | undefined;
  readonly meta?: JsonObject | undefined;
  /** What reading the arguments as JSON has silently changed; pointers into the request. */
  readonly flaws?: NonNullable<Call["flaws"]> | undefined;
  /** Puts a question to the caller's person; absent when the caller cannot. */
  readonly ask?: AskPerson | undefined;
  /** The caller's client, when servers may ask it something. */
  readonly peer?: CallerPeer | undefined;
  /** The least severe log messages that the caller wants from servers. */
  readonly logLevel?: string | undefined;
}

/** Data of our own, or an upstream's answer that passes through unchanged. */
export type MetaAnswer =
  | { readonly kind: "data"; readonly data: JsonObject }
  | { readonly kind: "result"; readonly result: CallResult };

export interface MetaToolSource<Input extends z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  readonly readOnly: boolean;
  /** Members that are taken for granted when a caller leaves them out, though the schema asks for them. */
  readonly assumed?: JsonObject;
  /** `run` sees to it that nothing comes of flawed arguments; otherwise they do not get as far. */
  readonly judgesFlaws?: boolean;
  readonly run: (args: z.output<Input>, context: MetaContext) => Promise<MetaAnswer>;
}

export function defineMetaTool<Input extends z.ZodType>(source: MetaToolSource<Input>): MetaTool {
  const { name, description, input, readOnly, assumed, judgesFlaws = false, run } = source;
  return {
    name,
    description,
    readOnly,
    inputSchema: toInputSchema(input),
    async run(args, context) {
      const parsed = input.safeParse(isJsonObject(args) ? { ...assumed, ...args } : (args ?? {}));
      if (!parsed.success) throw malformed(name, parsed.error);
      if (!judgesFlaws && context.flaws !== undefined) throw ambiguous(name, context.flaws);
      return await run(parsed.data, context);
    },
  };
}

/** As few tokens as keep it unmistakable: what every reader assumes anyway is left out. */
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
    },
  }) as JsonObject;
  return schema;
}

export function malformed(
  name: string,
  error: z.ZodError,
  hint = `Look at the input schema of ${name} and call again.`,
): DiscoveryError {
  const problems = error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join(".")}: ${message}` : message,
  );
  return new DiscoveryError("INVALID_REQUEST", `${name} was called wrongly: ${problems.join("; ")}.`, {
    hint,
    facts: { problems },
  });
}

function ambiguous(name: string, flaws: NonNullable<MetaContext["flaws"]>): DiscoveryError {
  const problems = flaws.map(({ path, message }) => `${path} ${message}`);
  return new DiscoveryError("INVALID_REQUEST", `${name} was called wrongly: ${problems.join("; ")}.`, {
    hint: "Write each argument once, as a value that every reader understands alike, and call again.",
    facts: { problems },
  });
}
