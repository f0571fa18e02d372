import { DiscoveryError } from "../../errors.js";
import { LOG_FORMATS, LOG_LEVELS, LOG_VARIABLE, type LogOptions, parseLogOptions } from "../../util/log.js";
import type { OptionSpec } from "./command.js";
import type { CliIo } from "./io.js";

export const LOG_OPTIONS: readonly OptionSpec[] = [
  {
    flags: "--log-level <level>",
    summary: "lowest level of the messages on standard error; debug logs every call (default: info, or ANYGPT_LOG)",
    completes: LOG_LEVELS,
  },
  {
    flags: "--log-format <format>",
    summary: "format of the messages; json writes one object per line (default: text, or ANYGPT_LOG)",
    completes: LOG_FORMATS,
  },
];

/** Options on the command line override the environment variable. */
export function resolveLogOptions(
  typed: { readonly level: string | undefined; readonly format: string | undefined },
  env: CliIo["env"],
): LogOptions {
  const fromEnvironment = parseLogOptions(env[LOG_VARIABLE] ?? "");
  if (fromEnvironment === undefined) {
    throw new DiscoveryError("CONFIGURATION_ERROR", `${LOG_VARIABLE} is not a valid log level or log format.`, {
      hint: `Set it to a level (${LOG_LEVELS.join(", ")}), a format (json, text), or both separated by a comma.`,
    });
  }
  return {
    level: LOG_LEVELS.find((one) => one === typed.level) ?? fromEnvironment.level ?? "info",
    format: LOG_FORMATS.find((one) => one === typed.format) ?? fromEnvironment.format ?? "text",
  };
}
