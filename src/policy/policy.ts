// The policy of one configuration: what it says of a tool, and whether one call of it may go on. Pure.
import type { Actor } from "../model/actor.js";
import type { Tool } from "../model/tool.js";
import { type CallFacts, type Decision, decide, type PolicyActor, type Question } from "./decide.js";
import type { PolicyOptions } from "./options.js";
import type { Rule, RuledTool, Ruling } from "./ruling.js";

export interface Policy {
  readonly options: PolicyOptions;
  ruling(tool: Tool): Ruling;
  judge(asked: AskedCall): Decision;
}

export interface AskedCall {
  readonly tool: Tool;
  readonly pin: Question["pin"];
  readonly actor: Pick<Actor, "id" | "scopes">;
  readonly call: CallFacts;
}

/** How a tool says in its `_meta` that it takes idempotency keys: `true`, or the name of the argument for it. */
export const KEY_MEMBER = "anygpt/idempotencyKey";

/** How a tool says in its `_meta` that only a person can agree to a call of it. Who says so of itself is believed. */
export const PERSON_MEMBER = "anygpt/needsPerson";

/** How a tool says in its `_meta` which scopes a caller needs beside those of the configuration. */
export const SCOPES_MEMBER = "anygpt/requiredScopes";

export function createPolicy(options: PolicyOptions, rule: Rule): Policy {
  const known = new WeakMap<Tool, Ruling>();
  const ruling = (tool: Tool): Ruling => {
    const found = known.get(tool) ?? rule(toRuledTool(tool));
    known.set(tool, found);
    return found;
  };
  return {
    options,
    ruling,
    judge({ tool, pin, actor, call }) {
      return decide(
        { toolId: tool.id, ruling: ruling(tool), pin, actor: toPolicyActor(actor, options), call },
        options,
      );
    },
  };
}

function toPolicyActor({ id, scopes }: AskedCall["actor"], { localScopes }: PolicyOptions): PolicyActor {
  return scopes === undefined ? { id, kind: "local", scopes: localScopes } : { id, kind: "token", scopes };
}

function toTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/** Methods that may be repeated without harm, as RFC 9110 has it. */
const REPEATABLE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);

function toRuledTool({ server, name, definition, operation, file }: Tool): RuledTool {
  const meta = definition["_meta"] as Record<string, unknown> | null | undefined;
  if (operation === undefined) {
    const declared = file?.risk === undefined ? {} : { declared: { by: "tool-file", risk: file.risk } as const };
    return {
      server,
      name,
      annotations: definition.annotations,
      takesKey: meta?.[KEY_MEMBER],
      needsPerson: meta?.[PERSON_MEMBER] === true,
      requiredScopes: toTexts(meta?.[SCOPES_MEMBER]),
      ...declared,
    };
  }
  const { method, risk, idempotent, idempotencyHeader } = operation;
  return {
    server,
    name,
    method,
    // What a document says of its own risk is the person's word for it, who gave us the document.
    ...(risk === undefined ? {} : { declared: { by: "adapter", risk } }),
    ...(idempotent === undefined && !REPEATABLE.has(method) ? {} : { idempotent: idempotent ?? true }),
    takesKey: idempotencyHeader !== undefined,
  };
}
