import type { CallResult } from "../model/call.js";
import { isJsonObject, type JsonObject } from "../model/json.js";
import type { KeptResults } from "./kept-results.js";

export interface ResultLimit {
  /** Bytes of text and structured content that an answer may hold. Images and audio are not text to a model and pass. */
  readonly bytes: number;
  readonly kept: KeptResults;
}

export function resultUri(id: string, page: number): string {
  return `anygpt://results/${id}/${page}`;
}

/** A result within the limit is returned as it is, the same object; a larger one is cut at a clear mark and kept whole. */
export function limitResult(result: CallResult, { bytes, kept }: ResultLimit, actorId: string): CallResult {
  const structured = result.structuredContent === undefined ? 0 : sizeOf(JSON.stringify(result.structuredContent));
  const total = result.content.reduce((sum, item) => sum + textSize(item), structured);
  if (total <= bytes) return result;

  const { id, pages, characters } = kept.keep(result, actorId);
  const content = cutContent(result.content, bytes);
  const { structuredContent: _dropped, ...rest } = result;
  const mark: JsonObject = {
    type: "text",
    text: `[Cut: this answer shows at most ${bytes} bytes of a result of ${characters} characters. The whole result is kept as JSON in ${pages} pages: read the resources ${resultUri(id, 1)} to ${resultUri(id, pages)}.]`,
  };
  return { ...rest, content: [...content, mark] };
}

function cutContent(content: readonly JsonObject[], bytes: number): JsonObject[] {
  const cut: JsonObject[] = [];
  let left = bytes;
  for (const item of content) {
    const size = textSize(item);
    if (size <= left) {
      cut.push(item);
      left -= size;
    } else if (isJsonObject(item) && typeof item["text"] === "string") {
      if (left > 0) cut.push({ ...item, text: cutBytes(item["text"], left) });
      left = 0;
    }
  }
  return cut;
}

/** A server may send anything as an item. */
function textSize(item: unknown): number {
  if (!isJsonObject(item)) return 0;
  if (typeof item["text"] === "string") return sizeOf(item["text"]);
  const resource = item["resource"];
  return isJsonObject(resource) && typeof resource["text"] === "string" ? sizeOf(resource["text"]) : 0;
}

function sizeOf(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

function cutBytes(text: string, bytes: number): string {
  // No character has less than a byte: of a long text only the beginning is copied.
  const head = Buffer.from(text.slice(0, bytes), "utf8").subarray(0, bytes).toString("utf8");
  // A character that the cut split in two decodes to a replacement mark.
  return head.replace(/\uFFFD$/u, "");
}
