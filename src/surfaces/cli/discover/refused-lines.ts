import { basename } from "node:path";
import type { RefusedFile } from "../../../toolfiles/read-tool-files.js";
import { groupRefused } from "../../../operations/toolfiles/group-files.js";
import { hintLines } from "../failure.js";
import { BAD, blocks, bold, count, line, type Line } from "../../../terminal/lines.js";

/** Rejected files. No server was contacted for them, because their signature is not trusted. */
export function refusedLines(refused: readonly RefusedFile[]): Line[] {
  if (refused.length === 0) return [];
  const { byKey, others } = groupRefused(refused);
  return blocks([
    [line(0, bold("### Rejected Files"))],
    ...[...byKey].map(([keyId, files]) => strangerLines(keyId, files)),
    others.flatMap(({ error, reason }) => [line(0, BAD, ` ${reason}: ${error.message}`), ...hintLines(error)]),
  ]);
}

/** Groups files by untrusted key, because trusting the key accepts all of them. */
function strangerLines(keyId: string, files: readonly RefusedFile[]): Line[] {
  const are = files.length === 1 ? "is" : "are";
  return [
    line(0, BAD, ` ${count(files.length, "file")} ${are} signed with the key ${keyId}, which is not trusted here:`),
    ...files.map(({ path }) => line(2, basename(path))),
    line(2, "If the key is your own, run `anygpt mcp keys trust 'anygpt-ed25519 KEY NAME' --yes` with the line that"),
    line(2, "`anygpt mcp keys export` prints on the machine that signed the files."),
  ];
}
