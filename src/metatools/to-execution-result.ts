import { DiscoveryError } from "../errors.js";
import type { CallResult } from "../model/call.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import { toErrorObject } from "./to-error-object.js";

/** What programs and `--json` get of an execution: the tool's value, or why there is none. */
export type ExecutionResult = (
  | { readonly success: true; readonly result: unknown }
  | { readonly success: false; readonly error: JsonObject }
) & {
  readonly content?: CallResult["content"];
  /** Nothing ran this time: it is the answer of the first call with the same idempotency key. */
  readonly replayed?: true;
};

/** Content that is not plain text (images, links, resources) stands beside the value as the tool sent it. */
export function toExecutionResult(answer: CallResult, server: string, tool: string): ExecutionResult {
  const isText = answer.content.every((item) => item["type"] === "text");
  const beside = {
    ...(isText ? {} : { content: answer.content }),
    ...(isReplayed(answer) ? { replayed: true as const } : {}),
  };
  if (answer.isError === true) {
    const message = textOf(answer) || `${server}:${tool} reported an error without a message.`;
    const error = new DiscoveryError("TOOL_EXECUTION_ERROR", message, { server, tool, executed: "yes" });
    return { ...toErrorObject(error), ...beside };
  }
  return { success: true, result: answer.structuredContent ?? valueOf(textOf(answer)), ...beside };
}

function isReplayed({ _meta }: CallResult): boolean {
  return isJsonObject(_meta) && _meta["anygpt/replayed"] !== undefined;
}

function textOf({ content }: CallResult): string {
  return content.flatMap((item) => (typeof item["text"] === "string" ? [item["text"]] : [])).join("\n");
}

/** A tool that answers in JSON text means the value, not the text. */
function valueOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
