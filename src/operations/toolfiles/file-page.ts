import type { JsonObject } from "../../model/json.js";
import type { ToolFile } from "../../toolfiles/format/tool-file.js";
import type { InstallPlan } from "../../toolfiles/archive/plan-install.js";
import type { ListedToolFile } from "./open-tool-files.js";
import { type DescribeStep, renderHint } from "../../model/next-steps.js";
import { revealedJson } from "../../terminal/reveal.js";

/** The content of a tool file as JSON. */
export function toFilePage({ toolId, version, server, tool, connection, needs }: ToolFile): JsonObject {
  return {
    tool_id: toolId,
    version,
    server,
    tool: tool.name,
    ...(connection.kind === "stdio"
      ? { command: shownCommand([connection.command, ...connection.args]) }
      : { url: connection.url }),
    variables: needs.map(({ name, required }) => ({ name, required })),
  };
}

/** The tool file and its verification result as JSON. */
export function toVerdictPage(found: ListedToolFile, describe: DescribeStep): JsonObject {
  if (found.kind === "good") {
    const { file, path, trust, validatedAt } = found.verified;
    return {
      ...toFilePage(file),
      file: path,
      ok: true,
      trust:
        trust.kind === "signed" ? { kind: "signed", key_id: trust.keyId, key_name: trust.keyName } : { kind: "hash" },
      validated_at: validatedAt,
    };
  }
  const { reason, error } = found.refused;
  const hint = renderHint(error.nextSteps, describe);
  return {
    tool_id: found.toolId,
    file: found.path,
    ok: false,
    reason,
    code: error.code,
    message: error.message,
    ...(hint === undefined ? {} : { hint }),
  };
}

/** The command as typed in a shell, with invisible characters escaped. */
export function shownCommand(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./${}-]+$/.test(word) ? word : revealedJson(word))).join(" ");
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
