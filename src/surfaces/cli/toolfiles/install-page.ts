import type { JsonObject } from "../../../model/json.js";
import type { InstallPlan, PlannedFile } from "../../../toolfiles/archive/plan-install.js";
import { blocks, bold, count, GOOD, line, type Line, WARNING } from "../lines.js";
import { toFilePage } from "./file-page.js";
import { serverLines } from "./file-lines.js";
import { fingerprintOf } from "./key-page.js";
import { runLine } from "./run-line.js";

/** Everything that is agreed to: whom to trust, what is reached, started, sent and replaced. */
export function installationLines({ folder, files, newKeys }: InstallPlan): Line[] {
  const changed = files.filter(({ kind }) => kind !== "same");
  return [
    ...blocks([
      newKeys.length === 0
        ? []
        : [
            line(0, WARNING, " You would trust every tool file that is signed with:"),
            ...newKeys.flatMap(({ keyId, name, namesake }) => [
              line(2, bold(name)),
              line(2, `key ${keyId}`),
              line(2, `fingerprint ${fingerprintOf(keyId)}`),
              ...(namesake === undefined ? [] : [line(2, `Another key here has the same name: ${namesake}.`)]),
            ]),
          ],
      [
        line(0, `${count(changed.length, "tool file")} would be written to ${folder}:`),
        ...serverLines(changed.map((planned) => ({ file: planned.file, remark: remarkOf(planned) }))),
      ],
    ]),
    line(0, ""),
  ];
}

function remarkOf({ kind, before, keyName }: PlannedFile): string {
  return kind === "replaced"
    ? `replaces ${before?.version ?? "another"}, signed by ${keyName}`
    : `signed by ${keyName}`;
}

export function installedLines({ folder, files, newKeys }: InstallPlan): Line[] {
  const changed = files.filter(({ kind }) => kind !== "same");
  if (changed.length === 0 && newKeys.length === 0) return [line(0, "Everything is here already.")];
  const [first] = changed;
  const missing = new Map(
    files.flatMap(({ file }) =>
      file.needs.filter(({ required }) => required).map((need) => [need.name, need] as const),
    ),
  );
  return blocks([
    [
      ...newKeys.map(({ name }) => line(0, GOOD, " ", bold(name), " is trusted from now on.")),
      line(0, GOOD, ` ${count(changed.length, "tool file")} written to `, bold(folder), "."),
    ],
    missing.size === 0
      ? []
      : [
          line(0, "Variables that have to be set, in .ai/.env for example; `anygpt mcp env` shows which are:"),
          ...[...missing.values()].map(({ name, description }) =>
            line(2, bold(name), description === "" ? "" : ` - ${description}`),
          ),
        ],
    first === undefined ? [] : [line(0, `Try: ${runLine(first.file.toolId, first.file)}`)],
  ]);
}

export function toInstallPage({ folder, files, newKeys }: InstallPlan): JsonObject {
  return {
    folder,
    trusted: newKeys.map(({ keyId, name }) => ({ key_id: keyId, name })),
    files: files.map(({ file, kind, keyId, keyName }) => ({
      ...toFilePage(file),
      change: kind,
      key_id: keyId,
      key_name: keyName,
    })),
  };
}
