// A tool id, its parameters and the caller's options come in; what the executor answers goes out in the gateway's wrapper.
import { DiscoveryError } from "../../errors.js";
import type { Call, CallResult } from "../../model/call.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { Operation } from "../../registry/operation.js";
import { toExecutionResult } from "../to-execution-result.js";
import { splitId } from "./contract.js";
import type { GatewayTable } from "./parts.js";

/** What a caller of the gateway asks for, with the call's own members that every surface fills in. */
export interface OperationRequest
  extends Pick<
    Call,
    | "actor"
    | "timeoutMs"
    | "meta"
    | "flaws"
    | "onEvent"
    | "idempotencyKey"
    | "confirmed"
    | "dryRun"
    | "ask"
    | "peer"
    | "logLevel"
    | "whole"
  > {
  readonly toolId: string;
  readonly params: unknown;
}

export interface OperationAnswer {
  /** `{success, tool_id, execution_time_ms, data | error, meta}`. */
  readonly wrapper: JsonObject;
  /** Images, audio, resources and whatever else is not in the wrapper, as the tool sent it. */
  readonly beside: CallResult["content"];
  readonly meta?: JsonObject;
  readonly isError: boolean;
}

export async function executeOperation(
  request: OperationRequest,
  table: Pick<GatewayTable, "execute" | "snapshot" | "operations" | "now" | "elapsed" | "newId">,
  signal?: AbortSignal,
): Promise<OperationAnswer> {
  const { toolId, params, ...caller } = request;
  const { servers } = table.snapshot();
  const { server, name } = splitId(toolId, servers);
  if (name === "") throw notAnId(toolId);
  const requestId = table.newId();
  const timestamp = new Date(table.now()).toISOString();
  const from = table.elapsed();
  const call: Call = { ...caller, server, tool: name, arguments: params, profile: "gateway", requestId };
  let result: CallResult;
  try {
    result = await table.execute(call, signal);
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
    beside: besideOf(result),
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

/** A refusal is understood by who knows how risky the call is. */
function withRisk(error: unknown, operation: Operation | undefined): unknown {
  if (!(error instanceof DiscoveryError) || operation === undefined) return error;
  const { code, message, hint, server, tool, executed, cause, facts } = error;
  return new DiscoveryError(code, message, {
    hint,
    server,
    tool,
    executed,
    cause,
    facts: { ...facts, ...toRisk(operation) },
  });
}

/** A tool that failed may still say why in data. */
function dataOf({ structuredContent }: CallResult): JsonObject {
  return structuredContent === undefined ? {} : { data: structuredContent };
}

/** The text is in the wrapper, unless structured content took its place and it says something else. */
function besideOf({ content, structuredContent, isError }: CallResult): CallResult["content"] {
  const isTold = (item: JsonObject): boolean =>
    item["type"] === "text" &&
    (structuredContent === undefined || isError === true || isSameValue(item["text"], structuredContent));
  return content.filter((item) => !isTold(item));
}

function isSameValue(text: unknown, value: unknown): boolean {
  try {
    return typeof text === "string" && JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}

function notAnId(toolId: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", `"${toolId}" is no tool_id: it has no adapter before a colon.`, {
    hint: "A tool_id is `adapter:tool`; search_tools finds it.",
  });
}
