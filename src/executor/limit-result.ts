import type { CallResult } from "../model/call.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import type { Tool } from "../model/tool.js";
import { failpoint } from "../util/failpoint.js";
import type { StoredResult, StoredResults } from "./stored-results.js";

export interface BytesLimit {
  /**
   * The maximum number of bytes of text and structured content in one result. Images and audio do not count: a model
   * does not read them as text.
   */
  readonly bytes: number;
  readonly storedResults: StoredResults;
}

/** The caller and the tool of a result. */
interface ResultOrigin {
  readonly actorId: string;
  readonly tool: Pick<Tool, "server" | "name">;
}

export function resultUri(id: string, page: number): string {
  return `anygpt://results/${id}/${page}`;
}

/**
 * Returns a result within the limit unchanged, without a promise. Stores a larger one, and then returns its beginning
 * with a notice.
 */
export function limitResult(
  result: CallResult,
  limit: BytesLimit,
  source: ResultOrigin,
): CallResult | Promise<CallResult> {
  const structured = result.structuredContent === undefined ? 0 : sizeOf(JSON.stringify(result.structuredContent));
  const total = result.content.reduce((sum, item) => sum + textSize(item), structured);
  return total <= limit.bytes ? result : truncate(result, limit, source);
}

async function truncate(
  result: CallResult,
  { bytes, storedResults }: BytesLimit,
  { actorId, tool }: ResultOrigin,
): Promise<CallResult> {
  const stored = await storedResults.store(result, actorId, { server: tool.server, tool: tool.name });
  failpoint("result.after_store");
  const content = truncateContent(result.content, bytes);
  const { structuredContent: _dropped, ...rest } = result;
  const notice: JsonObject = {
    type: "text",
    text: `[Truncated: this answer shows at most ${bytes} bytes of a larger result. ${describe(stored)}]`,
  };
  return { ...rest, content: [...content, notice] };
}

function describe(stored: StoredResult | undefined): string {
  if (stored === undefined) return "The full result was not stored, because it exceeds the quotas in `results`.";
  const { id, pages, characters } = stored;
  return `The full result is stored as JSON with ${characters} characters in ${pages} pages: read the resources ${resultUri(id, 1)} to ${resultUri(id, pages)}.`;
}

function truncateContent(content: readonly JsonObject[], bytes: number): JsonObject[] {
  const truncated: JsonObject[] = [];
  let left = bytes;
  for (const item of content) {
    const size = textSize(item);
    if (size <= left) {
      truncated.push(item);
      left -= size;
    } else if (isJsonObject(item) && typeof item["text"] === "string") {
      if (left > 0) truncated.push({ ...item, text: truncateBytes(item["text"], left) });
      left = 0;
    }
  }
  return truncated;
}

/** The number of bytes of text in one content item. Items come from a server and may have any shape. */
function textSize(item: unknown): number {
  if (!isJsonObject(item)) return 0;
  if (typeof item["text"] === "string") return sizeOf(item["text"]);
  const resource = item["resource"];
  return isJsonObject(resource) && typeof resource["text"] === "string" ? sizeOf(resource["text"]) : 0;
}

function sizeOf(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

function truncateBytes(text: string, bytes: number): string {
  // Every character has at least one byte, so copying `bytes` characters of a long string is enough.
  const head = Buffer.from(text.slice(0, bytes), "utf8").subarray(0, bytes).toString("utf8");
  // Remove a character that was cut in the middle: it decodes to U+FFFD.
  return head.replace(/\uFFFD$/u, "");
}
