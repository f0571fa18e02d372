import { basename } from "node:path";
import type { JsonObject } from "../../../model/json.js";
import type { RefusedFile } from "../../../toolfiles/read-tool-files.js";
import { BAD, blocks, bold, count, line, type Line } from "../lines.js";

/** Files that no server was asked about, because nobody vouches for what they say. */
export function refusedLines(refused: readonly RefusedFile[]): Line[] {
  if (refused.length === 0) return [];
  const strangers = new Map<string, RefusedFile[]>();
  for (const one of refused.filter(({ reason }) => reason === "unknown-key")) {
    const keyId = String(one.error.facts["keyId"]);
    strangers.set(keyId, [...(strangers.get(keyId) ?? []), one]);
  }
  const others = refused.filter(({ reason }) => reason !== "unknown-key");
  return blocks([
    [line(0, bold("### Refused Files"))],
    ...[...strangers].map(([keyId, files]) => strangerLines(keyId, files)),
    others.flatMap(({ error, reason }) => [
      line(0, BAD, ` ${reason}: ${error.message}`),
      ...(error.hint === undefined ? [] : [line(2, error.hint)]),
    ]),
  ]);
}

/** One word about a key settles all of its files. */
function strangerLines(keyId: string, files: readonly RefusedFile[]): Line[] {
  const are = files.length === 1 ? "is" : "are";
  return [
    line(0, BAD, ` ${count(files.length, "file")} ${are} signed with the key ${keyId}, which is not trusted here:`),
    ...files.map(({ path }) => line(2, basename(path))),
    line(
      2,
      "If it is one of yours, trust it: `anygpt mcp keys trust 'anygpt-ed25519 KEY NAME' --yes`, with the line that",
    ),
    line(2, "`anygpt mcp keys export` prints where the files are signed."),
  ];
}

export function toRefusedJson({ path, reason, error }: RefusedFile): JsonObject {
  return {
    file: path,
    reason,
    message: error.message,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  };
}
