import { LOG_FORMATS, LOG_LEVELS } from "../../util/log.js";
import type { OptionTable } from "./command.js";

export const LOG_OPTIONS: OptionTable = {
  "--log-level <level>": {
    summary: "lowest level of the messages on standard error; debug logs every call (default: info, or ANYGPT_LOG)",
    completes: LOG_LEVELS,
  },
  "--log-format <format>": {
    summary: "format of the messages; json writes one object per line (default: text, or ANYGPT_LOG)",
    completes: LOG_FORMATS,
  },
};
