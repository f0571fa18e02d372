// Answers of a server come in; results, events and errors of our own go out.
import { DiscoveryError, type Executed } from "../errors.js";
import type { CallEvent, CallResult } from "../model/call.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import { isWithinDepth } from "../util/depth.js";
import type { Secrets } from "../util/secrets.js";
import { cutAtWord, toOneLine } from "../util/text.js";
import { PAGE_REQUIRED, pagesOf } from "./asking-back/pages.js";
import type { Answer } from "./open-request.js";
import { oversizeError } from "./oversize.js";

/**
 * What an error says about whether the tool ran. Who cannot read a request or does not know its method has not run it. A
 * verdict on the request (invalid request, invalid parameters) is also what handlers throw in the midst of their work: it
 * counts as the tool's own answer, which the same request would get again, so it is kept and nothing is sent twice. All
 * others may pass, and leave it open.
 */
const EXECUTED: Readonly<Record<number, Executed>> = {
  [-32_700]: "no",
  [-32_601]: "no",
  [-32_600]: "yes",
  [-32_602]: "yes",
};

const MISSING_CAPABILITY = -32_021;

/** Deeper data exhausts the stack of whoever writes it as JSON. */
const MAX_DEPTH = 500;

export function toResult(answer: Answer, server: string, { redact }: Secrets): CallResult {
  if (answer.kind === "error") {
    const oversize = oversizeError(server, answer.code, answer.data);
    if (oversize !== undefined) throw oversize;
    if (answer.code === PAGE_REQUIRED) throw pageRequired(server, answer.data);
    const said = cutAtWord(toOneLine(redact(answer.message)), 500) || "no reason given";
    throw new DiscoveryError("TOOL_EXECUTION_ERROR", `${server} answered with an error: ${said.replace(/\.$/, "")}.`, {
      hint: "Correct the arguments if the error is about them; otherwise check what the call has done before you repeat it.",
      facts: { jsonRpcCode: answer.code, ...lackOf(answer) },
      server,
      executed: EXECUTED[answer.code] ?? "unknown",
    });
  }
  if (!isJsonObject(answer.result)) {
    throw new DiscoveryError("TOOL_EXECUTION_ERROR", `${server} answered with something that is not a result.`, {
      hint: "The server has a defect; check what the call has done before you repeat it.",
      server,
      executed: "unknown",
    });
  }
  if (!isWithinDepth(answer.result, MAX_DEPTH)) {
    throw new DiscoveryError(
      "TOOL_EXECUTION_ERROR",
      `${server} answered with data nested over ${MAX_DEPTH} levels deep.`,
      {
        hint: "The tool has run; its answer cannot be passed on.",
        server,
        executed: "yes",
      },
    );
  }
  const { resultType, ...result } = answer.result;
  if (resultType !== undefined && resultType !== "complete") throw unfinished(server, resultType);
  return { ...result, content: Array.isArray(result["content"]) ? result["content"] : [] };
}

/** What the client would have to be able to do (2026-07-28). */
function lackOf({ code, data }: Extract<Answer, { kind: "error" }>): { requiredCapabilities?: JsonObject } {
  const required = code === MISSING_CAPABILITY && isJsonObject(data) ? data["requiredCapabilities"] : undefined;
  return isJsonObject(required) && isWithinDepth(required, MAX_DEPTH) ? { requiredCapabilities: required } : {};
}

/** By the protocol (2025-11-25) the call has not been carried out, and comes again when a person was there. */
function pageRequired(server: string, data: unknown): DiscoveryError {
  const elicitations = isWithinDepth(data, MAX_DEPTH) ? pagesOf(data) : [];
  return new DiscoveryError("TOOL_EXECUTION_ERROR", `${server} wants its user to visit a page first.`, {
    hint: "Have your user open the address, then call again.",
    facts: { jsonRpcCode: PAGE_REQUIRED, elicitations },
    server,
    executed: "no",
  });
}

function unfinished(server: string, resultType: unknown): DiscoveryError {
  const what = "gave a result of a kind that the gateway does not know";
  return new DiscoveryError("TOOL_EXECUTION_ERROR", `The tool of ${server} ${what}.`, {
    hint: "Update the gateway.",
    facts: { resultType },
    server,
    executed: "unknown",
  });
}

export function toPage(answer: Answer, server: string): JsonObject {
  if (answer.kind === "result" && isJsonObject(answer.result) && Array.isArray(answer.result["tools"]))
    return answer.result;
  const facts = answer.kind === "error" ? { jsonRpcCode: answer.code } : {};
  throw new DiscoveryError("SERVER_CONNECTION_ERROR", `${server} did not give a list of its tools.`, {
    hint: "The server has a defect, or it is not ready yet; ask again later.",
    facts,
    server,
  });
}

export function notListed(server: string, error: DiscoveryError): DiscoveryError {
  const isKept = error.code === "UPSTREAM_UNAUTHORIZED" || error.code === "SERVER_CONNECTION_ERROR";
  return new DiscoveryError(isKept ? error.code : "SERVER_CONNECTION_ERROR", error.message, {
    hint: isKept ? error.hint : "Ask again later.",
    facts: error.facts,
    server,
    cause: error,
  });
}

export function brokeOff(server: string): DiscoveryError {
  return new DiscoveryError("SERVER_CONNECTION_ERROR", `The connection to ${server} was closed.`, {
    hint: "Call again to open it anew.",
    server,
  });
}

export function toProgressEvent({ progress, total, message }: JsonObject, { redact }: Secrets): CallEvent {
  return {
    kind: "progress",
    progress: typeof progress === "number" ? progress : 0,
    ...(typeof total === "number" ? { total } : {}),
    ...(typeof message === "string" ? { message: redact(message) } : {}),
  };
}

export function toLogEvent({ level, logger, data }: JsonObject, { redact, redactValue }: Secrets): CallEvent {
  return {
    kind: "log",
    level: typeof level === "string" ? level : "info",
    ...(typeof logger === "string" ? { logger: redact(logger) } : {}),
    data: isWithinDepth(data, MAX_DEPTH) ? redactValue(data) : "(too deep)",
  };
}
