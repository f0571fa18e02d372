import { basename, dirname } from "node:path";
import { ERRORS } from "../../../errors.js";
import {
  applySigning,
  planSigning,
  type SignedToolFiles,
  type SigningPlan,
} from "../../../operations/toolfiles/sign.js";
import type { Context } from "../context.js";
import { reasonLine } from "../failure.js";
import { blocks, bold, count, GOOD, line } from "../../../terminal/lines.js";
import { hasConsent, toolFilesCommand } from "../toolfiles/consent.js";
import { serverLines } from "../toolfiles/file-lines.js";
import { toFilePage } from "../../../operations/toolfiles/file-page.js";

export const signFiles = toolFilesCommand(async (folders, input, context) => {
  const request = { files: input.list("files"), isAll: input.flag("all"), keyId: input.text("key") };
  const plan = await planSigning(request, folders);
  if (plan.open.length > 0) {
    if (!context.isJson) context.note([...serverLines(plan.open), ""]);
    const consent = {
      lines: [],
      question: `Sign ${count(plan.open.length, "file")} as ${plan.keyName}?`,
      isGiven: input.flag("yes"),
      hint: "Review the files, then run this in a terminal or add --yes.",
    };
    if (!(await hasConsent(consent, context))) {
      context.note(["Nothing was signed."]);
      return 1;
    }
  }
  const signed = await applySigning(plan, folders);
  show(plan, signed, context);
  for (const path of signed.outside) {
    context.warn(`${path} is signed but not used: its folder ${basename(dirname(path))} is not in toolFiles.folders.`);
  }
  for (const { error } of signed.refused) context.warn(reasonLine(error));
  return signed.refused.length === 0 ? 0 : ERRORS.SIGNATURE_INVALID.exit;
});

function show({ files }: SigningPlan, { key, isNewKey }: SignedToolFiles, context: Context): void {
  const signer = key === undefined ? {} : { key: { key_id: key.keyId, name: key.name, created: isNewKey } };
  const pages = files.map(({ file, path, isSigned }) => ({ ...toFilePage(file), file: path, signed: !isSigned }));
  context.reply({ ...signer, files: pages }, () => {
    if (key === undefined || files.length === 0) return ["There is nothing to sign."];
    return blocks([
      isNewKey ? [line(0, GOOD, ` Created your key ${key.name} (${key.keyId}).`)] : [],
      files.map(({ file, isSigned }) =>
        line(0, GOOD, " ", bold(file.toolId), ` is ${isSigned ? "already " : ""}signed by ${key.name}.`),
      ),
    ]);
  });
}
