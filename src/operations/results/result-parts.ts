import type { CallResult } from "../../model/call.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";

/** One binary item of a tool's result: an image, audio, or the blob of a resource. */
export interface BinaryPart {
  readonly kind: string;
  readonly mimeType: string;
  readonly bytes: Buffer;
}

/** A tool's result: all its text, and its binary items. */
export interface ResultParts {
  readonly text: string;
  readonly binaries: readonly BinaryPart[];
}

export function toResultParts({ content, structuredContent }: CallResult): ResultParts {
  const texts = content.flatMap((item) => textOf(item) ?? []);
  const isOnlyStructured = texts.length === 0 && structuredContent !== undefined;
  return {
    text: isOnlyStructured ? JSON.stringify(structuredContent, null, 2) : texts.join("\n"),
    binaries: content.flatMap((item) => binaryOf(item) ?? []),
  };
}

/** Describes a binary item, such as `image (image/png, 12 KB)`. */
export function describePart({ kind, mimeType, bytes }: BinaryPart): string {
  return `${kind} (${mimeType}, ${describeBytes(bytes.length)})`;
}

export function describeBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

function textOf(item: JsonObject): string | undefined {
  const { type, text, resource } = item;
  if (type === "text" && typeof text === "string") return text;
  if (type === "resource" && isJsonObject(resource) && typeof resource["text"] === "string") return resource["text"];
  return undefined;
}

function binaryOf(item: JsonObject): BinaryPart | undefined {
  const { type, resource } = item;
  if (type === "image" || type === "audio") return toPart(type, item["mimeType"], item["data"]);
  return type === "resource" && isJsonObject(resource)
    ? toPart("resource", resource["mimeType"], resource["blob"])
    : undefined;
}

function toPart(kind: string, mimeType: unknown, base64: unknown): BinaryPart | undefined {
  if (typeof base64 !== "string") return undefined;
  const known = typeof mimeType === "string" ? mimeType : "application/octet-stream";
  return { kind, mimeType: known, bytes: Buffer.from(base64, "base64") };
}

/** The part of the result that was not saved: everything but the binary items, or nothing if the text was saved. */
export function withoutSaved(answer: CallResult, isSaved: boolean): CallResult {
  if (!isSaved) return answer;
  const isBinary = toResultParts(answer).binaries.length > 0;
  return isBinary
    ? { ...answer, content: answer.content.filter((item) => binaryOf(item) === undefined) }
    : { content: [] };
}
