import { toInstallPage } from "../../../operations/toolfiles/file-page.js";
import { readableKeyId } from "../../../operations/toolfiles/key-page.js";
import { exportToolFiles } from "../../../operations/toolfiles/export.js";
import {
  applyInstallation,
  assertKeysTrusted,
  isInstallationOpen,
  planInstallation,
} from "../../../operations/toolfiles/install.js";
import { reasonLine } from "../failure.js";
import { blocks, bold, count, GOOD, line, type Line, WARNING } from "../../../terminal/lines.js";
import { engineCommand } from "../session.js";
import { hasConsent, toolFilesCommand } from "../toolfiles/consent.js";
import type { InstallFile, InstallPlan } from "../../../toolfiles/archive/plan-install.js";
import { runLine, serverLines } from "../toolfiles/file-lines.js";
import { newKeyLines } from "../toolfiles/key-lines.js";

export const exportTools = engineCommand(async (engine, input, context) => {
  const { output, files, keys } = await exportToolFiles(engine, {
    output: input.text("output") ?? "",
    ids: input.list("tools"),
    server: input.text("server"),
    isForced: input.flag("force"),
    onLeftOut: ({ path, reason }) =>
      context.warn(`${path} was not exported: ${reason}. Run \`anygpt mcp verify\` to see more.`),
  });
  context.reply({ output, files, keys: keys.map(({ keyId, name }) => ({ key_id: keyId, name })) }, () =>
    blocks([
      [line(0, GOOD, ` ${count(files.length, "tool file")} written to `, bold(output), ".")],
      [
        "The recipient is asked to trust this key. Send them the fingerprint through another channel:",
        ...keys.map(({ keyId, name }) => line(2, `${name}: ${readableKeyId(keyId)}`)),
      ],
    ]),
  );
});

export const installTools = toolFilesCommand(async (folders, input, context) => {
  const origin = input.argument("archive");
  const plan = await planInstallation({ origin, folder: input.text("folder") }, folders);
  if (isInstallationOpen(plan)) {
    if (input.flag("yes")) assertKeysTrusted(plan, input.list("trust"));
    const { newKeys } = plan;
    const consent = {
      lines: installationLines(plan),
      question: newKeys.length > 0 ? "Trust the key and install these files?" : "Install these files?",
      isGiven: input.flag("yes"),
      hint: `${["Run this in a terminal, or add --yes", ...newKeys.map(({ keyId }) => `--trust ${keyId}`)].join(" ")}.`,
    };
    if (!(await hasConsent(consent, context))) return 1;
  }
  const { isOutside, refused } = await applyInstallation(plan, origin, folders);
  context.reply(toInstallPage(plan), () => installedLines(plan));
  if (isOutside) {
    context.warn(`The files were written but are not used, because ${plan.folder} is not in toolFiles.folders.`);
  }
  for (const { error } of refused) context.warn(reasonLine(error));
  return 0;
});

/** What the user agrees to: new keys, servers, commands, headers, variables and replaced files. */
function installationLines({ folder, files, newKeys }: InstallPlan): Line[] {
  const changed = files.filter(({ kind }) => kind !== "same");
  return [
    ...blocks([
      newKeys.length === 0
        ? []
        : [line(0, WARNING, " You would trust all tool files that are signed with:"), ...newKeys.flatMap(newKeyLines)],
      [
        `${count(changed.length, "tool file")} would be written to ${folder}:`,
        ...serverLines(changed.map((planned) => ({ file: planned.file, remark: remarkOf(planned) }))),
      ],
    ]),
    "",
  ];
}

function remarkOf({ kind, before, keyName }: InstallFile): string {
  return kind === "replaced"
    ? `replaces ${before?.version ?? "another"}, signed by ${keyName}`
    : `signed by ${keyName}`;
}

function installedLines({ folder, files, newKeys }: InstallPlan): Line[] {
  const changed = files.filter(({ kind }) => kind !== "same");
  if (changed.length === 0 && newKeys.length === 0) return ["Everything is already installed."];
  const [first] = changed;
  const missing = new Map(
    files.flatMap(({ file }) =>
      file.needs.filter(({ required }) => required).map((need) => [need.name, need] as const),
    ),
  );
  return blocks([
    [
      ...newKeys.map(({ name }) => line(0, GOOD, " ", bold(name), " is now trusted.")),
      line(0, GOOD, ` ${count(changed.length, "tool file")} written to `, bold(folder), "."),
    ],
    missing.size === 0
      ? []
      : [
          "These variables have to be set, for example in .ai/.env. `anygpt mcp env` shows which are set:",
          ...[...missing.values()].map(({ name, description }) =>
            line(2, bold(name), description === "" ? "" : ` - ${description}`),
          ),
        ],
    first === undefined ? [] : [`Try: ${runLine(first.file.toolId, first.file)}`],
  ]);
}
