import { isWithinDepth } from "../../util/depth.js";
import { isEqualJson } from "../../util/json/is-equal.js";
import { parseToolFile } from "./parse-tool-file.js";
import { toToolFileText } from "./to-text.js";
import { MAX_DEFINITION_DEPTH, type ToolFile } from "./tool-file.js";

/** Returns the reasons why a file cannot be written and read back unchanged; empty if it can. */
export function findUnwritable(file: ToolFile): readonly string[] {
  if (!isWithinDepth(file.tool, MAX_DEFINITION_DEPTH))
    return [`its definition is nested over ${MAX_DEFINITION_DEPTH} levels deep`];
  const parsed = parseToolFile(toToolFileText(file), file.toolId);
  if (parsed.kind === "wrong") return parsed.reasons;
  return isEqualJson(parsed.file, file) ? [] : ["its definition would change when it is written and read back"];
}
