// Calls a tool by its id through the executor, and wraps the result in the format of the profile `gateway`.
import { DiscoveryError } from "../../errors.js";
import type { Call, CallResult } from "../../model/call.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { Operation } from "../../registry/operation.js";
import { toExecutionResult } from "../to-execution-result.js";
import { splitId } from "./registry-comparison.js";
import type { GatewayTable } from "./parts.js";
import { isEqualJson } from "../../util/json/is-equal.js";

/** A call of a tool by its id. */
export interface OperationRequest extends Omit<Call, "server" | "tool" | "arguments" | "profile" | "requestId"> {
  readonly toolId: string;
  readonly params: unknown;
}

export interface OperationAnswer {
  /** The result of the call in the form `{success, tool_id, execution_time_ms, data | error, meta}`. */
  readonly wrapper: JsonObject;
  /** Content that is not in the wrapper (images, audio, resources), as the tool sent it. */
  readonly extraContent: CallResult["content"];
  readonly meta?: JsonObject;
  readonly isError: boolean;
}

export async function executeOperation(
  request: OperationRequest,
  table: Pick<GatewayTable, "execute" | "snapshot" | "operations" | "now" | "elapsed" | "newId">,
): Promise<OperationAnswer> {
  const { toolId, params, ...options } = request;
  const { servers } = table.snapshot();
  const { server, name } = splitId(toolId, servers);
  if (name === "") throw notAnId(toolId);
  const requestId = table.newId();
  const timestamp = new Date(table.now()).toISOString();
  const from = table.elapsed();
  const call: Call = { ...options, server, tool: name, arguments: params, profile: "gateway", requestId };
  let result: CallResult;
  try {
    result = await table.execute(call);
  } catch (error) {
    throw withRisk(error, operationOf(toolId, table));
  }
  const operation = operationOf(toolId, table);
  const executed = toExecutionResult(result, server, name);
  const value = executed.success
    ? { data: executed.result }
    : { error: { ...executed.error, ...toRisk(operation) }, ...dataOf(result) };
  const wrapper = {
    success: executed.success,
    tool_id: toolId,
    execution_time_ms: Math.round(table.elapsed() - from),
    ...value,
    meta: {
      adapter: server,
      tool: name,
      request_id: requestId,
      timestamp,
      operation: toSummary(operation),
      ...(executed.replayed === true ? { replayed: true } : {}),
    },
  };
  const meta = result["_meta"];
  return {
    wrapper,
    extraContent: extraContentOf(result),
    ...(isJsonObject(meta) ? { meta } : {}),
    isError: !executed.success,
  };
}

function operationOf(
  toolId: string,
  { snapshot, operations }: Pick<GatewayTable, "snapshot" | "operations">,
): Operation | undefined {
  const { servers, tools } = snapshot();
  const { server, name } = splitId(toolId, servers);
  const tool = tools.get(`${server}:${name}`);
  return tool === undefined || tool.quarantine !== undefined
    ? undefined
    : operations.of(tool, servers.get(tool.server));
}

function toSummary(operation: Operation | undefined): JsonObject {
  if (operation === undefined) return {};
  const { risk_level, idempotent, reversible, category = null } = operation;
  return { risk_level, idempotent, reversible, category };
}

function toRisk(operation: Operation | undefined): JsonObject {
  return operation === undefined ? {} : { risk_level: operation.risk_level };
}

const REJECTED_FOR_RISK: ReadonlySet<string> = new Set([
  "IDEMPOTENCY_REQUIRED",
  "CONFIRMATION_REQUIRED",
  "POLICY_DENIED",
]);

/** Adds the risk level to the error of a call that was rejected because of its risk. */
function withRisk(error: unknown, operation: Operation | undefined): unknown {
  if (!(error instanceof DiscoveryError) || operation === undefined || !REJECTED_FOR_RISK.has(error.code)) return error;
  return error.with({ facts: { ...error.facts, ...toRisk(operation) } });
}

/** Returns the structured content of a failed tool, which may contain details about the failure. */
function dataOf({ structuredContent }: CallResult): JsonObject {
  return structuredContent === undefined ? {} : { data: structuredContent };
}

/**
 * Returns the content that is not in the wrapper. Text is in the wrapper, unless structured content replaces it there
 * and has a different value.
 */
function extraContentOf({ content, structuredContent, isError }: CallResult): CallResult["content"] {
  const isInWrapper = (item: JsonObject): boolean =>
    item["type"] === "text" &&
    (structuredContent === undefined || isError === true || isSameValue(item["text"], structuredContent));
  return content.filter((item) => !isInWrapper(item));
}

/**
 * Whether a text has the same value as structured content: the same JSON, or the text of its only member. Servers with
 * an output schema often wrap a text as `{"content": "…"}` or `{"result": "…"}`.
 */
function isSameValue(text: unknown, value: unknown): boolean {
  if (isJsonObject(value) && Object.keys(value).length === 1 && Object.values(value)[0] === text) return true;
  try {
    return typeof text === "string" && isEqualJson(JSON.parse(text), value);
  } catch {
    return false;
  }
}

function notAnId(toolId: string): DiscoveryError {
  return new DiscoveryError(
    "INVALID_REQUEST",
    `"${toolId}" is not a valid tool_id: the adapter and the colon are missing.`,
    {
      hint: ["Write the tool_id as `adapter:tool`.", { action: "search" }],
    },
  );
}
