// Converts server responses into results, events and errors of the gateway.
import { DiscoveryError, type Executed } from "../errors.js";
import type { CallEvent, CallResult } from "../model/call.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import { RETRY_AFTER_SECONDS } from "../model/start.js";
import { isWithinDepth } from "../util/depth.js";
import type { Secrets } from "../util/secrets.js";
import { withoutStackFrames } from "../util/strip-trace.js";
import { cutAtWord, toOneLine } from "../util/text.js";
import { attributeElicitation, attributeLine, attributeLogger, cleanValue } from "./server-requests/attribution.js";
import { URL_ELICITATION_REQUIRED, urlElicitationsOf } from "./server-requests/url-elicitation.js";
import type { ServerResponse } from "./open-request.js";
import { MAX_RESULT_DEPTH, oversizeError, tooDeep } from "./oversize.js";

/**
 * Whether the tool was executed, by JSON-RPC error code. A server that cannot parse a request or does not know its
 * method has not run the tool. "Invalid request" and "invalid params" may also come from the running tool, so a call
 * with these errors counts as executed: it would fail again, and it must not be sent twice. After any other code, it is
 * unknown whether the tool was executed.
 */
const EXECUTED: Readonly<Record<number, Executed>> = {
  [-32_700]: "no",
  [-32_601]: "no",
  [-32_600]: "yes",
  [-32_602]: "yes",
};

const MISSING_CAPABILITY = -32_021;

export function toCallResult(answer: ServerResponse, server: string, { redact }: Secrets): CallResult {
  if (answer.kind === "error") {
    const oversize = oversizeError(server, answer.code, answer.data);
    if (oversize !== undefined) throw oversize;
    if (answer.code === URL_ELICITATION_REQUIRED) throw urlVisitRequired(server, answer.data);
    const detail = cutAtWord(toOneLine(redact(withoutStackFrames(answer.message))), 500) || "no reason given";
    throw new DiscoveryError(
      "TOOL_EXECUTION_ERROR",
      `${server} answered with an error: ${detail.replace(/\.$/, "")}.`,
      {
        hint: "Correct the arguments if the error is about them. Otherwise check what the call has done before you repeat it.",
        facts: { jsonRpcCode: answer.code, ...requiredCapabilitiesIn(answer) },
        server,
        executed: EXECUTED[answer.code] ?? "unknown",
      },
    );
  }
  if (!isJsonObject(answer.result)) {
    throw new DiscoveryError("TOOL_EXECUTION_ERROR", `${server} sent a response that is not a valid MCP result.`, {
      hint: "The server has a defect. Check what the call has done before you repeat it.",
      server,
      executed: "unknown",
    });
  }
  if (!isWithinDepth(answer.result, MAX_RESULT_DEPTH)) throw tooDeep(server);
  const { resultType, ...result } = answer.result;
  if (resultType !== undefined && resultType !== "complete") throw unknownResultType(server, resultType);
  const content = contentOf(result["content"], server);
  return { ...result, content: result["isError"] === true ? content.map(withoutTrace) : content };
}

/** A missing content is an empty one: some servers return only structured content. */
function contentOf(content: unknown, server: string): readonly JsonObject[] {
  if (content === undefined) return [];
  if (Array.isArray(content) && content.every(isJsonObject)) return content;
  throw new DiscoveryError("TOOL_EXECUTION_ERROR", `${server} sent a result whose content is not a list of objects.`, {
    hint: "The server has a defect. Check what the call has done before you repeat it.",
    server,
    executed: "yes",
  });
}

/** Removes the stack frames from a text item of a failed tool. */
function withoutTrace(item: JsonObject): JsonObject {
  const { text } = item;
  return item["type"] === "text" && typeof text === "string" ? { ...item, text: withoutStackFrames(text) } : item;
}

/** The client capabilities that the server requires according to its error response (MCP 2026-07-28). */
function requiredCapabilitiesIn({ code, data }: Extract<ServerResponse, { kind: "error" }>): {
  requiredCapabilities?: JsonObject;
} {
  const required = code === MISSING_CAPABILITY && isJsonObject(data) ? data["requiredCapabilities"] : undefined;
  return isJsonObject(required) && isWithinDepth(required, MAX_RESULT_DEPTH) ? { requiredCapabilities: required } : {};
}

/**
 * The error for a call that requires the user to visit a URL first. By the protocol (MCP 2025-11-25), the call was not
 * executed and must be repeated afterwards.
 */
function urlVisitRequired(server: string, data: unknown): DiscoveryError {
  const given = isWithinDepth(data, MAX_RESULT_DEPTH) ? urlElicitationsOf(data) : [];
  const elicitations = given.flatMap((one) => {
    const attributed = attributeElicitation(one, server);
    return "refused" in attributed ? [] : [attributed.params];
  });
  return new DiscoveryError("TOOL_EXECUTION_ERROR", `${server} requires the user to visit a URL first.`, {
    hint: "Ask the user to open the URL, then repeat the same call.",
    facts: { jsonRpcCode: URL_ELICITATION_REQUIRED, elicitations },
    server,
    executed: "no",
  });
}

function unknownResultType(server: string, resultType: unknown): DiscoveryError {
  return new DiscoveryError("TOOL_EXECUTION_ERROR", `${server} returned a tool result of an unknown type.`, {
    hint: "Update the gateway.",
    facts: { resultType },
    server,
    executed: "unknown",
  });
}

export function toListPage(answer: ServerResponse, server: string): JsonObject {
  if (answer.kind === "result" && isJsonObject(answer.result) && Array.isArray(answer.result["tools"]))
    return answer.result;
  const facts = answer.kind === "error" ? { jsonRpcCode: answer.code } : {};
  throw new DiscoveryError("SERVER_CONNECTION_ERROR", `${server} did not return a tool list.`, {
    hint: ["The server has a defect or is not ready yet.", { action: "retry", afterSeconds: RETRY_AFTER_SECONDS }],
    facts,
    server,
  });
}

export function toListError(server: string, error: DiscoveryError): DiscoveryError {
  const isKept = error.code === "UPSTREAM_UNAUTHORIZED" || error.code === "SERVER_CONNECTION_ERROR";
  return new DiscoveryError(isKept ? error.code : "SERVER_CONNECTION_ERROR", error.message, {
    hint: isKept ? error.nextSteps : { action: "retry", afterSeconds: RETRY_AFTER_SECONDS },
    facts: error.facts,
    server,
    cause: error,
  });
}

export function connectionClosed(server: string): DiscoveryError {
  return new DiscoveryError("SERVER_CONNECTION_ERROR", `The connection to ${server} was closed.`, {
    hint: { action: "retry" },
    server,
  });
}

export function toProgressEvent(
  { progress, total, message }: JsonObject,
  server: string,
  { redact }: Secrets,
): CallEvent {
  return {
    kind: "progress",
    progress: typeof progress === "number" ? progress : 0,
    ...(typeof total === "number" ? { total } : {}),
    ...(typeof message === "string" ? { message: attributeLine(server, redact(message)) } : {}),
  };
}

export function toLogEvent(
  { level, logger, data }: JsonObject,
  server: string,
  { redact, redactValue }: Secrets,
): CallEvent {
  return {
    kind: "log",
    level: typeof level === "string" ? level : "info",
    logger: attributeLogger(server, typeof logger === "string" ? redact(logger) : undefined),
    data: isWithinDepth(data, MAX_RESULT_DEPTH) ? cleanValue(redactValue(data)) : "(too deep)",
  };
}
