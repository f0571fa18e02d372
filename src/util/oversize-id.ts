import type { Overflow } from "./line-reader.js";

/**
 * Finds the JSON-RPC id of a message that was too large to be parsed, in its first and last kilobytes. The id is
 * accepted only if it belongs to the outermost object.
 */
export function idOfOversize({ head, tail }: Overflow): number | string | undefined {
  return idAtStart(head.toString("utf8")) ?? idAtEnd(tail.toString("utf8"));
}

function idAtStart(head: string): number | string | undefined {
  return toId(
    /^\s*(?:data:\s*)?\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d+|"[^"\\]*")\s*,/.exec(head)?.[1],
  );
}

function idAtEnd(tail: string): number | string | undefined {
  return toId(/,\s*"id"\s*:\s*(-?\d+|"[^"\\]*")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail)?.[1]);
}

function toId(text: string | undefined): number | string | undefined {
  if (text === undefined) return undefined;
  return text.startsWith('"') ? text.slice(1, -1) : Number(text);
}
