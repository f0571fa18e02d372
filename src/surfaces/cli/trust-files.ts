import { describeUntrusted } from "../../config/load.js";
import type { Stages } from "../../gateway/stages.js";
import { findUntrusted, trustAgreed } from "../../operations/configuration/untrusted-files.js";
import type { UntrustedFile } from "../../sources/effects.js";
import { canInterrupt, isConfirmed } from "../../terminal/questions.js";
import type { Context } from "./context.js";
import { bold, GOOD, line, type Line, WARNING } from "../../terminal/lines.js";

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

export function fileLines({ file, effects }: UntrustedFile, mark?: typeof GOOD): Line[] {
  return [
    mark === undefined ? line(2, bold(file)) : line(0, mark, " ", bold(file)),
    ...effects.map((effect) => line(4, effect)),
  ];
}
