import { parseEnv } from "node:util";
import type { ServerDefinition } from "../model/server.js";
import type { Problem } from "../util/document/problem.js";
import type { FileRead } from "./files.js";
import { readWholeFile } from "./files.js";
import { escapeText } from "./placeholders.js";

export interface WithEnvFile {
  readonly definition: ServerDefinition;
  readonly file?: FileRead;
  readonly problem?: Problem;
}

/** The definition with the variables of the file added, weaker than its own; values are taken as they are. */
export async function withEnvFile(definition: ServerDefinition, path: string | undefined): Promise<WithEnvFile> {
  const { connection } = definition;
  if (path === undefined || connection.kind !== "stdio") return { definition };
  const content = await readWholeFile(path);
  if (content.kind !== "text") {
    const what = content.kind === "missing" ? "does not exist" : content.reason;
    return {
      definition,
      problem: { file: path, path: "", reason: `${what}; "${definition.name}" wants it as envFile` },
    };
  }
  const values = Object.entries(parseEnv(content.text)).map(([name, value]) => [name, escapeText(value ?? "")]);
  const env = { ...(Object.fromEntries(values) as Record<string, string>), ...connection.env };
  return { definition: { ...definition, connection: { ...connection, env } }, file: content.file };
}
