import { z } from "zod";
import { describePending } from "../../catalog/starts.js";
import { DiscoveryError } from "../../errors.js";
import type { JsonObject } from "../../model/json.js";
import { RETRY_AFTER_SECONDS } from "../../model/start.js";
import { describeFinding, type Finding } from "../../registry/check-registry.js";
import { isStopWord } from "../../search/stop-words.js";
import { tokenizeQuery } from "../../search/tokenize.js";
import { defineMetaTool, type MetaTool } from "../meta-tool.js";
import { summaryOf } from "../metadata.js";
import { type OperationCandidate, type Candidates, findCandidates, type Intent } from "./candidates.js";
import type { GatewayTable } from "./parts.js";
import { toMissingInputs, toReady } from "./ready.js";
import { isUnaskedDeletion, readStatedValues } from "./stated-values.js";

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
    async run({ query, adapter, context = {}, limit = table.options.limit }, call) {
      const findings = await table.registryComparison.findings();
      if (findings.length > 0) throw intentDisabled(findings, table);
      const intent: Intent = { query, adapter, context, limit };
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
  if (first === undefined) return { ...describeNothing(candidates, table), search_context: context };
  const isGuess =
    candidates.fit === "none" ||
    first.confidence < table.options.minConfidence ||
    first.confidence === second?.confidence ||
    (first.confidence < 1 && isUnaskedDeletion(intent.query, first.tool));
  if (isGuess) return { ...toSelection(intent, candidates, table), search_context: context };
  const { tool, operation } = first;
  const stated = readStatedValues(intent.query, tool);
  return {
    recommended: toListed(first),
    ready_to_execute: toReady(tool, operation, { policy: table.policy, stated }),
    missing_inputs: toMissingInputs(tool, operation, stated),
    next_step: toNextStep(first, table),
    alternatives: candidates.list.slice(1, 1 + intent.limit).map(toListed),
    search_context: context,
  };
}

function toListed({ tool, confidence, why }: OperationCandidate) {
  return { adapter: tool.server, tool: tool.name, tool_id: tool.id, confidence, why };
}

function toNextStep({ operation }: OperationCandidate, { nameOf }: GatewayTable): string {
  const start = operation.required_params.length > 0 ? "Fill in missing_inputs, then call" : "Call";
  const key = operation.idempotency_required
    ? ", and with a new options.idempotency_key; reuse the same key when you repeat the call"
    : "";
  const confirm = operation.confirmation_required ? ". The call needs a confirmation by the user" : "";
  return `${start} ${nameOf("execute")} with tool_id and params${key}${confirm}.`;
}

const MIN_OPTIONS = 5;
const MAX_OPTIONS = 8;
/** If no tool fits: the maximum number of options. */
const MAX_CLOSEST = 3;

function toSelection({ limit }: Intent, { list, fit, pending }: Candidates, table: GatewayTable): JsonObject {
  const { nameOf } = table;
  const isFitting = fit !== "none";
  const count = isFitting ? Math.min(Math.max(limit, MIN_OPTIONS), MAX_OPTIONS) : MAX_CLOSEST;
  const choose = `call ${nameOf("intent")} with its tool_id as query`;
  const next = isFitting
    ? `No option is certain. Choose one of the options or ask your user, then ${choose}, or search again with other words.`
    : `Search again with other words, or call ${nameOf("adapters")} to see all adapters. If an option does what your user wants, ${choose}.`;
  return {
    needs_selection: true,
    options: list.slice(0, count).map((one) => ({
      ...toListed(one),
      description: summaryOf(one.tool),
      ...(one.tool.operation === undefined ? {} : { method: one.tool.operation.method, path: one.tool.operation.path }),
      required_params: one.operation.required_params,
      optional_params: one.operation.optional_params.slice(0, MAX_OPTIONAL),
    })),
    missing_inputs: [],
    ...(isFitting ? {} : { note: "No tool fits well. The options are the closest tools." }),
    next_step:
      pending.length > 0 ? `${next} ${describePending(pending)} Call again in ${RETRY_AFTER_SECONDS} s.` : next,
    ...(pending.length > 0 ? { retry_after_seconds: RETRY_AFTER_SECONDS } : {}),
  };
}

const MAX_OPTIONAL = 8;

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

function toSearchContext({ query, adapter, limit }: Intent, { list, context, pending }: Candidates): JsonObject {
  const words = tokenizeQuery(query, () => false).filter((word) => !isStopWord(word));
  const given = Object.entries(context).flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]));
  return {
    mode: adapter === undefined ? "global" : "adapter-specific",
    matched_adapters: [...new Set(list.slice(0, 1 + limit).map(({ tool }) => tool.server))],
    query_interpreted: [...new Set(words), ...given].join(", "),
    ...(pending.length > 0 ? { pending_adapters: pending.map(({ name }) => name) } : {}),
  };
}

const MAX_NAMED = 10;

/**
 * The error of `gateway.intent` if the exported registry differs from the catalog. Other systems rely on that file, so
 * recommending nothing is better than contradicting it.
 */
function intentDisabled(findings: readonly Finding[], { nameOf }: GatewayTable): DiscoveryError {
  const named = findings.slice(0, MAX_NAMED).map(describeFinding);
  const more = findings.length - named.length;
  const name = nameOf("intent");
  return new DiscoveryError(
    "CONFIGURATION_ERROR",
    `${name} is disabled: the exported registry file differs from the live catalog.`,
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
