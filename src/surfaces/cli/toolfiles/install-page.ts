import type { InstallPlan, InstallFile } from "../../../toolfiles/archive/plan-install.js";
import { blocks, bold, count, GOOD, line, type Line, WARNING } from "../../../terminal/lines.js";
import { serverLines } from "./file-lines.js";
import { newKeyLines } from "./key-lines.js";
import { runLine } from "./run-line.js";

/** What the user agrees to: new keys, servers, commands, headers, variables and replaced files. */
export function installationLines({ folder, files, newKeys }: InstallPlan): Line[] {
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

export function installedLines({ folder, files, newKeys }: InstallPlan): Line[] {
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
