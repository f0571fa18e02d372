// The policy of one configuration: a ruling on each tool, and a decision about each call. Pure.
import type { Actor } from "../model/actor.js";
import type { Tool } from "../model/tool.js";
import { type CallFacts, type PolicyDecision, decidePolicy, type PolicyActor, type PolicyQuestion } from "./decide.js";
import type { PolicyOptions } from "./options.js";
import type { Rule, PolicySubject, Ruling } from "./ruling.js";

export interface Policy {
  readonly options: PolicyOptions;
  ruling(tool: Tool): Ruling;
  judge(request: PolicyRequest): PolicyDecision;
}

export interface PolicyRequest {
  readonly tool: Tool;
  readonly pin: PolicyQuestion["pin"];
  readonly actor: Pick<Actor, "id" | "scopes">;
  readonly call: CallFacts;
}

/**
 * The member of a tool's `_meta` that declares support for idempotency keys: `true`, or the name of the argument that
 * takes the key.
 */
export const KEY_MEMBER = "anygpt/idempotencyKey";

/**
 * The member of a tool's `_meta` that requires a user's confirmation of every call. It is honored even from distrusted
 * servers, because it can only add restrictions.
 */
export const PERSON_MEMBER = "anygpt/needsPerson";

/** The member of a tool's `_meta` with scopes that a caller needs in addition to those of the configuration. */
export const SCOPES_MEMBER = "anygpt/requiredScopes";

export function createPolicy(options: PolicyOptions, rule: Rule): Policy {
  const known = new WeakMap<Tool, Ruling>();
  const ruling = (tool: Tool): Ruling => {
    const found = known.get(tool) ?? rule(toPolicySubject(tool));
    known.set(tool, found);
    return found;
  };
  return {
    options,
    ruling,
    judge({ tool, pin, actor, call }) {
      return decidePolicy(
        { toolId: tool.id, ruling: ruling(tool), pin, actor: toPolicyActor(actor, options), call },
        options,
      );
    },
  };
}

function toPolicyActor({ id, scopes }: PolicyRequest["actor"], { localScopes }: PolicyOptions): PolicyActor {
  return scopes === undefined ? { id, kind: "local", scopes: localScopes } : { id, kind: "token", scopes };
}

function toStrings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function toText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function toPolicySubject({ server, name, definition, operation, file }: Tool): PolicySubject {
  const description = toText(definition.description);
  const meta = definition["_meta"] as Record<string, unknown> | null | undefined;
  if (operation === undefined) {
    const declared = file?.risk === undefined ? {} : { declared: { by: "tool-file", risk: file.risk } as const };
    return {
      server,
      name,
      description,
      annotations: definition.annotations,
      takesKey: meta?.[KEY_MEMBER],
      needsPerson: meta?.[PERSON_MEMBER] === true,
      requiredScopes: toStrings(meta?.[SCOPES_MEMBER]),
      ...declared,
    };
  }
  const { method, path, risk, idempotent, idempotencyHeader } = operation;
  return {
    server,
    name,
    description,
    method,
    path,
    // The risk from an API document counts as the operator's own statement, because the operator configured the
    // document.
    ...(risk === undefined ? {} : { declared: { by: "adapter", risk } }),
    ...(idempotent === undefined ? {} : { idempotent }),
    takesKey: idempotencyHeader !== undefined,
  };
}
