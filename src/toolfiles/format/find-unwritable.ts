import { isWithinDepth } from "../../util/depth.js";
import { canonicalJson } from "../../util/json/canonical.js";
import { parseToolFile } from "./parse-tool-file.js";
import { toText } from "./to-text.js";
import { DEEPEST_DEFINITION, type ToolFile } from "./tool-file.js";

/** Why a file cannot be written so that it is read as the same again; nothing when it can. */
export function findUnwritable(file: ToolFile): readonly string[] {
  if (!isWithinDepth(file.tool, DEEPEST_DEFINITION))
    return [`its definition is nested over ${DEEPEST_DEFINITION} levels deep`];
  const parsed = parseToolFile(toText(file), file.toolId);
  if (parsed.kind === "wrong") return parsed.reasons;
  return canonicalJson(parsed.file) === canonicalJson(file)
    ? []
    : ["its definition would not be read as it was written"];
}
