import { z } from "zod";
import { toSignature } from "../../catalog/signature.js";
import { describePending } from "../../catalog/starts.js";
import { DiscoveryError } from "../../errors.js";
import type { JsonObject } from "../../model/json.js";
import { RETRY_AFTER_SECONDS } from "../../model/start.js";
import { describeFinding, type Finding } from "../../registry/check-registry.js";
import { defineMetaTool, type MetaTool } from "../meta-tool.js";
import { summaryOf } from "../metadata.js";
import { type OperationCandidate, type Candidates, findCandidates, type Intent } from "./candidates.js";
import type { GatewayTable } from "./parts.js";
import { toMissingInputs, toReady } from "./ready.js";
import { isUnaskedDestruction, readStatedValues } from "./stated-values.js";

const text = z.string().min(1);

export function gatewayIntent(table: GatewayTable): MetaTool {
  return defineMetaTool({
    name: table.nameOf("intent"),
    description: "Find the right tool for a task, ready to execute. Start here.",
    input: z.strictObject({
      query: z.string().min(1).max(2000).describe("What you want to do, or a tool_id"),
      adapter: text.optional().describe("Only this adapter"),
      context: z
        .strictObject({
          currency: text.optional(),
          country: text.optional(),
          use_case: z.enum(["one-time", "subscription", "marketplace"]).optional(),
        })
        .optional(),
      limit: z.int().min(1).max(50).optional().describe(`Max alternatives, default ${table.options.limit}`),
    }),
    readOnly: true,
    async run({ query, adapter, context = {}, limit }, call) {
      const findings = await table.registryComparison.findings();
      if (findings.length > 0) throw intentDisabled(findings, table);
      const intent: Intent = {
        query,
        adapter,
        context,
        limit: limit ?? table.options.limit,
        isLimited: limit !== undefined,
      };
      const candidates = await findCandidates(intent, table, call);
      return { kind: "data", data: toAnswer(intent, candidates, table) };
    },
  });
}

/**
 * Recommends the first candidate if it is likely enough and more likely than the second. Otherwise returns several
 * candidates as options.
 */
function toAnswer(intent: Intent, candidates: Candidates, table: GatewayTable): JsonObject {
  const [first, second] = candidates.list;
  const context = toSearchContext(intent, candidates);
  if (first === undefined) return { ...describeNothing(candidates, table), ...context };
  const isGuess =
    candidates.fit === "none" ||
    first.confidence < table.options.minConfidence ||
    first.confidence === second?.confidence ||
    (first.confidence < 1 && isUnaskedDestruction(intent.query, first.tool, first.operation.risk_level));
  if (isGuess) return { ...toSelection(intent, candidates, table), ...context };
  const { tool, operation } = first;
  const stated = readStatedValues(intent.query, tool);
  const missing = toMissingInputs(tool, operation, stated);
  const alternatives = candidates.list
    .slice(1, 1 + intent.limit)
    .filter(({ confidence }) => intent.isLimited || confidence >= first.confidence * MIN_SHARE)
    .map(toAlternative);
  return {
    recommended: { tool_id: tool.id, confidence: first.confidence, ...toWhy(first) },
    ready_to_execute: toReady(tool, operation, { policy: table.policy, stated }),
    ...(missing.length === operation.required_params.length ? {} : { missing_inputs: missing }),
    next_step: toNextStep(first, table),
    ...(alternatives.length > 0 ? { alternatives } : {}),
    ...context,
  };
}

/**
 * Unless the caller passes a limit, an alternative must be at least this likely, compared with the recommended tool: a
 * less likely one only costs tokens.
 */
const MIN_SHARE = 0.5;

function toAlternative(candidate: OperationCandidate): JsonObject {
  const { tool, confidence } = candidate;
  return { tool_id: tool.id, confidence, ...toCallFacts(candidate) };
}

const MAX_SIGNATURE = 400;

/**
 * What a caller has to know to call the tool without another look-up: the parameters, the risk if the call needs a key
 * or a confirmation, and how the context fits.
 */
function toCallFacts(candidate: OperationCandidate): JsonObject {
  const { tool, operation } = candidate;
  // The name is in `tool_id`.
  const signature = toSignature({ ...tool.definition, name: "" });
  const isRisky = operation.idempotency_required || operation.confirmation_required;
  return {
    ...(signature.length <= MAX_SIGNATURE ? { signature } : { required_params: operation.required_params }),
    ...(isRisky ? { risk_level: operation.risk_level } : {}),
    ...toWhy(candidate),
  };
}

function toWhy({ why }: OperationCandidate): JsonObject {
  return why === undefined ? {} : { why };
}

function toNextStep({ operation }: OperationCandidate, { nameOf }: GatewayTable): string {
  const key = operation.idempotency_required ? " with options.idempotency_key" : "";
  const confirm = operation.confirmation_required ? " Your user has to confirm the call." : "";
  return `Call ${nameOf("execute")}${key}.${confirm}`;
}

const MIN_OPTIONS = 5;
const MAX_OPTIONS = 8;
/** If no tool fits: the maximum number of options. */
const MAX_CLOSEST = 3;
const CLOSEST_SUMMARY = 40;

function toSelection({ limit }: Intent, { list, fit, pending }: Candidates, table: GatewayTable): JsonObject {
  const isFitting = fit !== "none";
  const count = isFitting ? Math.min(Math.max(limit, MIN_OPTIONS), MAX_OPTIONS) : MAX_CLOSEST;
  const shown = list.slice(0, count);
  const next = isFitting ? toChoice(shown, table) : toNewSearch(table);
  return {
    needs_selection: true,
    options: shown.map(isFitting ? toOption : toClosest),
    ...(isFitting ? {} : { note: "No tool fits well; these are the closest." }),
    next_step:
      pending.length > 0 ? `${next} ${describePending(pending)} Call again in ${RETRY_AFTER_SECONDS} s.` : next,
    ...(pending.length > 0 ? { retry_after_seconds: RETRY_AFTER_SECONDS } : {}),
  };
}

function toOption(candidate: OperationCandidate): JsonObject {
  const { tool, confidence } = candidate;
  return {
    tool_id: tool.id,
    confidence,
    description: summaryOf(tool),
    ...(tool.operation === undefined ? {} : { method: tool.operation.method, path: tool.operation.path }),
    ...toCallFacts(candidate),
  };
}

/** A tool that does not fit: the caller only has to see what there is. */
function toClosest({ tool }: OperationCandidate): JsonObject {
  return { tool_id: tool.id, description: summaryOf(tool, CLOSEST_SUMMARY) };
}

function toChoice(options: readonly OperationCandidate[], { nameOf }: GatewayTable): string {
  const key = options.some(({ operation }) => operation.idempotency_required)
    ? " (with options.idempotency_key if it has a risk_level)"
    : "";
  return `Choose an option or ask your user, then call ${nameOf("execute")}${key}. Or search again with other words.`;
}

function toNewSearch({ nameOf }: GatewayTable): string {
  return `Search again with other words, or see all adapters with ${nameOf("adapters")}.`;
}

/** The answer if the caller can see no tool, for example because all servers are still starting. */
function describeNothing({ pending }: Candidates, { nameOf }: GatewayTable): JsonObject {
  const nothing = { needs_selection: false, options: [] };
  if (pending.length === 0)
    return { ...nothing, note: "No tool is known.", next_step: `Call ${nameOf("adapters")} to see all adapters.` };
  return {
    ...nothing,
    note: describePending(pending),
    retry_after_seconds: RETRY_AFTER_SECONDS,
    next_step: `Call ${nameOf("intent")} again in ${RETRY_AFTER_SECONDS} s.`,
  };
}

/** What the caller cannot know: the context that was read from the query, and the adapters that were not searched. */
function toSearchContext(intent: Intent, { context, pending }: Candidates): JsonObject {
  const read = Object.entries(context).filter(
    ([name, value]) => value !== undefined && value !== intent.context[name as keyof typeof context],
  );
  const interpreted = read.map(([name, value]) => `${name} ${value}`).join(", ");
  const found = {
    ...(interpreted === "" ? {} : { query_interpreted: interpreted }),
    ...(pending.length > 0 ? { pending_adapters: pending.map(({ name }) => name) } : {}),
  };
  return Object.keys(found).length === 0 ? {} : { search_context: found };
}

const MAX_NAMED = 10;

/**
 * The error of `gateway.intent` if the exported registry differs from the catalog. Other systems rely on that file, so
 * recommending nothing is better than contradicting it.
 */
function intentDisabled(findings: readonly Finding[], { nameOf }: GatewayTable): DiscoveryError {
  const named = findings.slice(0, MAX_NAMED).map(describeFinding);
  const more = findings.length - named.length;
  // The model reads only the message, and not the facts.
  const others = findings.length > 1 ? ` There are ${findings.length} problems in all.` : "";
  return new DiscoveryError(
    "CONFIGURATION_ERROR",
    `${nameOf("intent")} is disabled because of the exported registry file: ${named[0] ?? ""}${others}`,
    {
      hint: [
        `Use ${nameOf("tools")} and ${nameOf("execute")} instead.`,
        { action: "run-command", command: "anygpt mcp registry check", purpose: "see the differences" },
        { action: "run-command", command: "anygpt mcp registry export", purpose: "write the file again" },
      ],
      facts: { failed_operations: more > 0 ? [...named, `and ${more} more.`] : named },
    },
  );
}
