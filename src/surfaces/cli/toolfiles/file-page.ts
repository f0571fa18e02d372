import type { JsonObject } from "../../../model/json.js";
import type { ToolFile } from "../../../toolfiles/format/tool-file.js";
import type { FoundFile } from "./file-desk.js";
import { shownCommand } from "./file-lines.js";

/** What a file says, for programs. */
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

/** What is so of a file and who says so. */
export function toVerdictPage(found: FoundFile): JsonObject {
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
  return {
    tool_id: found.toolId,
    file: found.path,
    ok: false,
    reason,
    code: error.code,
    message: error.message,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  };
}
