import type { CallResult } from "../../model/call.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import { describeBytes } from "../../operations/results/result-parts.js";
import { line, type Line, verbatim } from "../../terminal/lines.js";

/** A tool's result as text: flat objects as `name: value` lines, text unchanged, binary data as type and size. */
export function resultLines({ content, structuredContent }: CallResult, indent = 0): Line[] {
  if (structuredContent === undefined) return content.flatMap((item) => contentLines(item, indent));
  // MCP 2025-06-18: a tool with structured content should repeat it as text for older clients.
  const others = content.filter((item) => item["type"] !== "text");
  return [...valueLines(structuredContent, indent), ...others.flatMap((item) => contentLines(item, indent))];
}

function contentLines(item: JsonObject, indent: number): Line[] {
  switch (item["type"]) {
    case "text":
      return typeof item["text"] === "string" ? textLines(item["text"], indent) : [];
    case "image":
    case "audio":
      return [line(indent, `[${item["type"]} ${describeData(item["mimeType"], item["data"])}]`)];
    case "resource_link":
      return [line(indent, [item["uri"], bracketed(item["title"] ?? item["name"])].filter(Boolean).join(" "))];
    case "resource":
      return isJsonObject(item["resource"]) ? resourceLines(item["resource"], indent) : [];
    default:
      return valueLines(item, indent);
  }
}

function resourceLines({ uri, mimeType, text, blob }: JsonObject, indent: number): Line[] {
  if (typeof text === "string") return [line(indent, `${String(uri)}:`), ...textLines(text, indent + 2)];
  return [line(indent, `[resource ${String(uri)} ${describeData(mimeType, blob)}]`)];
}

function textLines(text: string, indent: number): Line[] {
  if (!/^\s*[[{]/.test(text)) return [verbatim(indent, text)];
  try {
    return valueLines(JSON.parse(text), indent);
  } catch {
    return [verbatim(indent, text)];
  }
}

function valueLines(value: unknown, indent: number): Line[] {
  if (isFlat(value)) return Object.entries(value).map(([key, member]) => verbatim(indent, `${key}: ${String(member)}`));
  return [verbatim(indent, typeof value === "string" ? value : JSON.stringify(value, null, 2))];
}

function isFlat(value: unknown): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const members = Object.values(value);
  return members.length > 0 && members.every((member) => !isNested(member) && !String(member).includes("\n"));
}

function isNested(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function bracketed(name: unknown): string {
  return typeof name === "string" && name !== "" ? `(${name})` : "";
}

function describeData(mimeType: unknown, base64: unknown): string {
  const bytes = typeof base64 === "string" ? Buffer.byteLength(base64, "base64") : 0;
  return `${typeof mimeType === "string" ? mimeType : "unknown type"}, ${describeBytes(bytes)}`;
}
