import { parseEnv } from "node:util";
import type { Problem } from "../util/document/problem.js";
import { isProjectFile } from "../util/inside.js";
import type { ServerDefinition } from "../model/server.js";
import type { Candidate } from "./candidate.js";
import type { UntrustedFile } from "./effects.js";
import type { FileRead } from "./files.js";
import { readWholeFile } from "./files.js";
import { escapeText } from "./placeholders.js";

export interface WithEnvFile {
  readonly definition: ServerDefinition;
  readonly problem?: Problem;
  readonly notice?: string;
  readonly untrusted?: UntrustedFile;
}

export interface EnvFileParts {
  /** The working folder: what lies in it may be anybody's. */
  readonly cwd: string;
  readonly home: string;
  /** Asked for a file that came with the project. */
  readonly isTrusted: (file: FileRead) => boolean | Promise<boolean>;
}

/** The definition with the variables of the file added, weaker than its own; values are taken as they are. */
export async function withEnvFile({ definition, envFile: path }: Candidate, parts: EnvFileParts): Promise<WithEnvFile> {
  const { connection, name: server } = definition;
  if (path === undefined || connection.kind !== "stdio") return { definition };
  const content = await readWholeFile(path);
  if (content.kind !== "text") {
    const what = content.kind === "missing" ? "does not exist" : content.reason;
    return { definition, problem: { file: path, path: "", reason: `${what}; "${server}" wants it as envFile` } };
  }
  const isProjects = isProjectFile(path, parts);
  const all = Object.entries(parseEnv(content.text));
  const values = isProjects ? all.filter(([name]) => !isPowerful(name)) : all;
  if (isProjects && values.length > 0 && !(await parts.isTrusted(content.file))) {
    const effects = [`sets ${values.map(([name]) => name).join(", ")} for ${server}`];
    return { definition, untrusted: { file: path, content: content.file.bytes, effects } };
  }
  const texts = values.map(([name, value]) => [name, escapeText(value ?? "")]);
  const env = { ...(Object.fromEntries(texts) as Record<string, string>), ...connection.env };
  const refused = isProjects ? all.flatMap(([name]) => (isPowerful(name) ? [name] : [])) : [];
  const notice = `${path} sets ${refused.join(", ")}, which no file of a project may set for "${server}".`;
  return {
    definition: { ...definition, connection: { ...connection, env } },
    ...(refused.length === 0 ? {} : { notice }),
  };
}

const POWERFUL = /^(?:NODE_OPTIONS|NODE_PATH|PATH|PATHEXT|BASH_ENV|ENV|(?:LD_|DYLD_|PYTHON|npm_config_).*)$/i;

/** Variables that make any program run code of the setter's choice. */
function isPowerful(name: string): boolean {
  return POWERFUL.test(name);
}
