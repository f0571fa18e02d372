import { ERRORS } from "../../../errors.js";
import type { ListedToolFile, ToolFileFolders } from "../../../operations/toolfiles/open-tool-files.js";
import {
  acceptOlderFiles,
  findOlderFiles,
  isBadFile,
  type OlderToolFile,
  verifyFiles,
} from "../../../operations/toolfiles/verify.js";
import { invalidRequest } from "../../../util/invalid-request.js";
import type { Input } from "../command.js";
import type { Context } from "../context.js";
import { hintLines } from "../failure.js";
import { BAD, blocks, bold, count, dim, GOOD, line, type Line, WARNING } from "../../../terminal/lines.js";
import { describeCliStep } from "../next-steps.js";
import { hasConsent, toolFilesCommand } from "../toolfiles/consent.js";
import { toVerdictPage } from "../../../operations/toolfiles/file-page.js";

export const verifyCommand = toolFilesCommand(async (folders, input, context) => {
  const ids = input.list("tools");
  let verified = await verifyFiles(ids, folders);
  if (input.flag("accept")) {
    const older = findOlderFiles(verified.files);
    if (!(await isAccepted(older, input, context))) return 1;
    await acceptOlderFiles(older, folders);
    verified = await verifyFiles(ids, folders);
  }
  const { isGood, files } = verified;
  context.reply({ ok: isGood, files: files.map((file) => toVerdictPage(file, describeCliStep)) }, () =>
    verdictLines(files, folders),
  );
  return isGood ? 0 : ERRORS.SIGNATURE_INVALID.exit;
});

async function isAccepted(older: readonly OlderToolFile[], input: Input, context: Context): Promise<boolean> {
  if (input.flag("yes") && input.list("tools").length === 0) {
    const hint = `Add the ids: ${older.map(({ toolId }) => toolId).join(" ")}.`;
    throw invalidRequest("--accept with --yes needs the ids of the tools.", hint);
  }
  const consent = {
    lines: [
      line(
        0,
        WARNING,
        " These files are older than the versions seen before. An attacker may have restored an old file",
      ),
      line(2, "to bring back a flaw that a newer version fixed:"),
      ...older.map(({ path, version, validatedAt, seen }) =>
        line(2, bold(path), ` ${version} of ${validatedAt}, instead of ${seen}`),
      ),
    ],
    question: `Accept ${older.length === 1 ? "this file" : "these files"} from now on?`,
    isGiven: input.flag("yes"),
    hint: "Run this in a terminal, or add --yes with the ids of the tools.",
  };
  return await hasConsent(consent, context);
}

function verdictLines(files: readonly ListedToolFile[], { folders }: ToolFileFolders): Line[] {
  if (files.length === 0) {
    return [
      `There are no tool files in ${folders.join(" or ")}.`,
      line(2, "`anygpt mcp discover` writes tool files, `anygpt mcp tools install` installs exported ones."),
    ];
  }
  const bad = files.filter(isBadFile).length;
  return blocks([
    [`${count(files.length, "tool file")}, ${bad === 0 ? "none" : bad} rejected:`],
    ...files.map(foundLines),
  ]);
}

function foundLines(found: ListedToolFile): Line[] {
  if (found.kind === "good") {
    const { file, path, trust, validatedAt } = found.verified;
    const by = trust.kind === "signed" ? `signed by ${trust.keyName}` : "unchanged, not signed";
    return [
      line(0, GOOD, " ", bold(file.toolId), ` ${file.version} - ${by}, ${validatedAt}`),
      line(2, dim(trust.kind === "signed" ? `${path}, key ${trust.keyId}` : path)),
    ];
  }
  const { error, reason } = found.refused;
  return [
    line(0, isBadFile(found) ? BAD : WARNING, " ", bold(found.toolId), ` - ${reason}`),
    line(2, error.message),
    ...hintLines(error),
  ];
}
