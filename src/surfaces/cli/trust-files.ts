import { describeUntrusted } from "../../config/load.js";
import type { ProjectFile } from "../../config/project-files.js";
import type { Stages } from "../../gateway/stages.js";
import { findUntrusted, trustAgreed } from "../../operations/configuration/untrusted-files.js";
import type { UntrustedFile } from "../../sources/effects.js";
import { canInterrupt, isConfirmed } from "../../terminal/questions.js";
import { invalidRequest } from "../../util/invalid-request.js";
import type { Context } from "./context.js";
import { bold, line, type Line, type LinePart, WARNING } from "../../terminal/lines.js";

/**
 * Before a command runs: asks the user whether to trust the project's configuration files, or prints a warning if there
 * is no terminal.
 */
export async function settleTrust(context: Context): Promise<void> {
  await settle(await findUntrusted(engineOptions(context)), context);
}

/**
 * Like `settleTrust`, for the project's MCP client files. Returns true if the user has just trusted one of these files.
 */
export async function settleForeignTrust({ configuredServers }: Stages, context: Context): Promise<boolean> {
  return await settle(configuredServers.untrusted, context);
}

async function settle(files: readonly UntrustedFile[], context: Context): Promise<boolean> {
  if (canInterrupt(context)) return await trustAgreed(files, engineOptions(context), (one) => isAgreed(one, context));
  for (const { file } of files) context.warn(describeUntrusted(file));
  return false;
}

/**
 * Options to open the engine. `isBrief`: the process ends soon, so it may block on disk access instead of starting a
 * worker thread for the store.
 */
export function engineOptions({ io, log, warn, configPath }: Context) {
  return { cwd: io.cwd, env: io.env, log, warn, isBrief: true, ...(configPath === undefined ? {} : { configPath }) };
}

async function isAgreed(one: UntrustedFile, context: Context): Promise<boolean> {
  context.note([
    line(0, WARNING, " This project has a configuration file that you have not trusted yet:"),
    ...fileLines(one),
  ]);
  return await isConfirmed("Trust this file until its content changes?", context);
}

/**
 * The files that the user agrees to trust, each by its own answer. With `--yes`, all but files with variables, which
 * also affect servers of the user: such a file has to be named.
 */
export async function agreedFiles<File extends ProjectFile>(
  files: readonly File[],
  { isGiven, isNamed }: { readonly isGiven: boolean; readonly isNamed: boolean },
  context: Context,
): Promise<File[]> {
  if (isGiven) return files.filter(({ kind }) => isNamed || kind !== "variables");
  if (!context.isJson) context.note(files.flatMap((one) => fileLines(one)));
  if (!canInterrupt(context)) {
    throw invalidRequest(
      "This command needs a confirmation, and there is no terminal to ask for it.",
      "Review the files, then add --yes. Name a .env file to trust it too.",
    );
  }
  const agreed: File[] = [];
  for (const one of files) {
    if (await isConfirmed(`Trust ${one.file} until its content changes?`, context)) agreed.push(one);
  }
  return agreed;
}

export function fileLines({ file, effects }: UntrustedFile, mark?: LinePart): Line[] {
  return [
    mark === undefined ? line(2, bold(file)) : line(0, mark, " ", bold(file)),
    ...effects.map((effect) => line(4, effect)),
  ];
}
