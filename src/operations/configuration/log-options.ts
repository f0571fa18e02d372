import { DiscoveryError } from "../../errors.js";
import { LOG_FORMATS, LOG_LEVELS, LOG_VARIABLE, type LogOptions, parseLogOptions } from "../../util/log.js";

/** The log level and format. Options on the command line override the environment variable `ANYGPT_LOG`. */
export function resolveLogOptions(
  typed: { readonly level: string | undefined; readonly format: string | undefined },
  env: Readonly<Record<string, string | undefined>>,
): LogOptions {
  const fromEnvironment = parseLogOptions(env[LOG_VARIABLE] ?? "");
  if (fromEnvironment === undefined) {
    throw new DiscoveryError("CONFIGURATION_ERROR", `${LOG_VARIABLE} is not a valid log level or log format.`, {
      hint: `Set the variable to a level (${LOG_LEVELS.join(", ")}), a format (json, text), or both separated by a comma.`,
    });
  }
  return {
    level: LOG_LEVELS.find((one) => one === typed.level) ?? fromEnvironment.level ?? "info",
    format: LOG_FORMATS.find((one) => one === typed.format) ?? fromEnvironment.format ?? "text",
  };
}
