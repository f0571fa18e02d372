import { DiscoveryError } from "../../errors.js";
import { LOG_FORMATS, LOG_LEVELS, LOG_VARIABLE, type LogWish, parseLogWish } from "../../util/log.js";
import type { OptionSpec } from "./command.js";
import type { CliIo } from "./io.js";

export const LOG_OPTIONS: readonly OptionSpec[] = [
  {
    flags: "--log-level <level>",
    summary: "the least severe messages on standard error; debug tells of every call (default: info, or ANYGPT_LOG)",
    completes: LOG_LEVELS,
  },
  {
    flags: "--log-format <format>",
    summary: "how they are written; json is one object a line (default: text, or ANYGPT_LOG)",
    completes: LOG_FORMATS,
  },
];

/** What is typed counts more than the environment. */
export function toLogWish(
  typed: { readonly level: string | undefined; readonly format: string | undefined },
  env: CliIo["env"],
): LogWish {
  const wished = parseLogWish(env[LOG_VARIABLE] ?? "");
  if (wished === undefined) {
    throw new DiscoveryError("CONFIGURATION_ERROR", `${LOG_VARIABLE} is no level and no format of the log.`, {
      hint: `Set it to one of ${LOG_LEVELS.join(", ")}, to json or text, or to both with a comma between them.`,
    });
  }
  return {
    level: LOG_LEVELS.find((one) => one === typed.level) ?? wished.level ?? "info",
    format: LOG_FORMATS.find((one) => one === typed.format) ?? wished.format ?? "text",
  };
}
