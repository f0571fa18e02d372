import { DiscoveryError } from "../errors.js";
import type { CallResult } from "../model/call.js";
import { isJsonObject } from "../model/json.js";
import { describeLibraryStep } from "../model/next-steps.js";
import { type ExecutionError, toErrorObject } from "./to-error-object.js";

/**
 * The result of one tool call. Check `success` first: if `true`, there is a `result`; if `false`, there is an `error`.
 * If the tool itself reports a failure (`isError` in MCP), the error has the code `TOOL_EXECUTION_ERROR` and `executed:
 * "yes"`.
 */
export type ExecutionResult = (
  | {
      readonly success: true;
      /** The structured content that the tool returned. If there is none: the text content, parsed if it is JSON. */
      readonly result: unknown;
      readonly error?: undefined;
    }
  | { readonly success: false; readonly error: ExecutionError; readonly result?: undefined }
) & {
  /** The content as the tool sent it. Only present if it contains more than plain text (images, links, resources). */
  readonly content?: CallResult["content"];
  /**
   * Set if the tool did not run for this call: this is the stored result of the first call with the same idempotency
   * key.
   */
  readonly replayed?: true;
};

/** Converts the MCP result of a tool call to the library's result. */
export function toExecutionResult(answer: CallResult, server: string, tool: string): ExecutionResult {
  const isText = answer.content.every((item) => item["type"] === "text");
  const extra = {
    ...(isText ? {} : { content: answer.content }),
    ...(isReplayed(answer) ? { replayed: true as const } : {}),
  };
  if (answer.isError === true) {
    const message = textOf(answer) || `${server}:${tool} reported an error without a message.`;
    const error = new DiscoveryError("TOOL_EXECUTION_ERROR", message, { server, tool, executed: "yes" });
    // An error that the tool reports has no next steps.
    return { ...toErrorObject(error, describeLibraryStep), ...extra };
  }
  return { success: true, result: answer.structuredContent ?? valueOf(textOf(answer)), ...extra };
}

function isReplayed({ _meta }: CallResult): boolean {
  return isJsonObject(_meta) && _meta["anygpt/replayed"] !== undefined;
}

function textOf({ content }: CallResult): string {
  return content.flatMap((item) => (typeof item["text"] === "string" ? [item["text"]] : [])).join("\n");
}

/** Parses a text as JSON, because many tools send a JSON value as text. Any other text is returned unchanged. */
function valueOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
