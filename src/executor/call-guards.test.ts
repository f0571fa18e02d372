import { describe, expect, it } from "vitest";
import { toTool } from "../../test/support/executor.js";
import type { DiscoveryError } from "../errors.js";
import type { Tool } from "../model/tool.js";
import { assertUnchanged } from "./call-guards.js";

function codeOf(act: () => void): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return (error as DiscoveryError).code;
  }
}

describe("assertUnchanged", () => {
  const tool = toTool();
  it.each<[string, Tool | undefined, string | undefined]>([
    ["accepts the same tool", tool, undefined],
    ["accepts an equal tool", toTool(), undefined],
    ["accepts a tool that the catalog no longer has", undefined, undefined],
    ["rejects a tool with another definition", toTool({ hash: "other" }), "TOOL_VALIDATION_ERROR"],
    ["rejects a quarantined tool", toTool({ quarantine: { reason: "changed", differs: [] } }), "TOOL_QUARANTINED"],
  ])("%s", (_case, known, code) => {
    expect(codeOf(() => assertUnchanged(tool, known))).toBe(code);
  });
});
