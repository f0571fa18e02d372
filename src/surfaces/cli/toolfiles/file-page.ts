import type { JsonObject } from "../../../model/json.js";
import type { ToolFile } from "../../../toolfiles/format/tool-file.js";
import type { ListedToolFile } from "../../../operations/toolfiles/open-tool-files.js";
import { hintMember } from "../failure.js";
import { shownCommand } from "./file-lines.js";

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
export function toVerdictPage(found: ListedToolFile): JsonObject {
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
    ...hintMember(error),
  };
}
