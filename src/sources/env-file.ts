import type { Problem } from "../util/document/problem.js";
import { parseDotenv } from "../util/dotenv.js";
import { isProjectFile } from "../util/inside.js";
import type { ServerDefinition } from "../model/server.js";
import type { ServerCandidate } from "./candidate.js";
import type { UntrustedFile } from "./effects.js";
import type { FileRead } from "./files.js";
import { readWholeFile } from "./files.js";
import { escapeText } from "./placeholders.js";

export interface WithEnvFile {
  readonly definition: ServerDefinition;
  readonly problem?: Problem;
  readonly notices?: readonly string[];
  readonly untrusted?: UntrustedFile;
}

export interface ServerEnvFileParts {
  /** The working folder; files in it may come from an untrusted author. */
  readonly cwd: string;
  readonly home: string;
  /** Called for an env file in the project folder: its variables are used only if it is trusted. */
  readonly isTrusted: (file: FileRead) => boolean | Promise<boolean>;
}

/**
 * Adds the variables of the env file to the definition. Variables of the definition take precedence; templates in
 * values are not expanded.
 */
export async function withEnvFile(
  { definition, envFile: path }: ServerCandidate,
  parts: ServerEnvFileParts,
): Promise<WithEnvFile> {
  const { connection, name: server } = definition;
  if (path === undefined || connection.kind !== "stdio") return { definition };
  const content = await readWholeFile(path);
  if (content.kind !== "text") {
    const what = content.kind === "missing" ? "does not exist" : content.reason;
    return {
      definition,
      problem: { file: path, path: "", reason: `${what}; the server "${server}" has it as its envFile` },
    };
  }
  const isInProject = isProjectFile(path, parts);
  const { values: read, faults } = parseDotenv(content.text);
  const all = [...read];
  const values = isInProject ? all.filter(([name]) => !canRunCode(name)) : all;
  if (isInProject && values.length > 0 && !(await parts.isTrusted(content.file))) {
    const effects = [`sets ${values.map(([name]) => name).join(", ")} for ${server}`];
    return { definition, untrusted: { file: path, content: content.file.bytes, effects } };
  }
  const env = {
    ...Object.fromEntries(values.map(([name, value]) => [name, escapeText(value)])),
    ...connection.env,
  };
  const ignored = isInProject ? all.flatMap(([name]) => (canRunCode(name) ? [name] : [])) : [];
  const notices = faults.map(({ line, reason }) => `${path}:${line} ${reason}.`);
  if (ignored.length > 0) {
    notices.push(
      `${path} sets ${ignored.join(", ")}: ignored for "${server}", because a project file may not set variables that can run code.`,
    );
  }
  return { definition: { ...definition, connection: { ...connection, env } }, notices };
}

const CODE_VARIABLES = /^(?:NODE_OPTIONS|NODE_PATH|PATH|PATHEXT|BASH_ENV|ENV|(?:LD_|DYLD_|PYTHON|npm_config_).*)$/i;

/** Whether the variable would let the author of the env file run code in other programs. */
function canRunCode(name: string): boolean {
  return CODE_VARIABLES.test(name);
}
