import { describeUntrusted } from "../../config/load.js";
import { findProjectConfigs, type ProjectFile } from "../../config/project-files.js";
import type { Stages } from "../../compose.js";
import { placeFor } from "../../open-engine.js";
import { ask, canInterrupt } from "./ask.js";
import type { Context } from "./context.js";
import { bold, GOOD, line, type Line, WARNING } from "./lines.js";

/** Before a command runs: whoever sits at the terminal is asked, everybody else is told. */
export async function settleTrust(context: Context): Promise<void> {
  const { trust, loadParts } = placeFor(optionsOf(context));
  const files = await findProjectConfigs(loadParts);
  await settle(
    files.filter(({ file, content }) => !trust.isTrusted(file, content)),
    context,
  );
}

/** The same for what the project's files for other programs would add. True when one of them is trusted now. */
export async function settleForeignTrust({ collected }: Stages, context: Context): Promise<boolean> {
  return await settle(collected.untrusted, context);
}

async function settle(files: readonly Asked[], context: Context): Promise<boolean> {
  const { trust } = placeFor(optionsOf(context));
  let isAnyTrusted = false;
  for (const one of files) {
    if (!canInterrupt(context)) context.note([line(0, WARNING, ` ${describeUntrusted(one.file)}`)]);
    else if (await isAgreed(one, context)) {
      await trust.record(one.file, one.content);
      isAnyTrusted = true;
    }
  }
  return isAnyTrusted;
}

type Asked = Omit<ProjectFile, "kind">;

/** A command ends soon: it waits for the disk itself. */
export function optionsOf({ io, log, warn, configPath }: Context) {
  return { cwd: io.cwd, env: io.env, log, warn, isBrief: true, ...(configPath === undefined ? {} : { configPath }) };
}

async function isAgreed(one: Asked, context: Context): Promise<boolean> {
  context.note([line(0, WARNING, " This project has a configuration that you have not trusted:"), ...fileLines(one)]);
  return (await ask("Use it from now on, as long as it stays as it is?", context)) === "yes";
}

export function fileLines({ file, effects }: Asked, mark?: typeof GOOD): Line[] {
  return [
    mark === undefined ? line(2, bold(file)) : line(0, mark, " ", bold(file)),
    ...effects.map((effect) => line(4, effect)),
  ];
}
