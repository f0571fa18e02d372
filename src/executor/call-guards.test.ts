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
    ["the same tool", tool, undefined],
    ["an equal one", toTool(), undefined],
    ["one that nobody knows any more", undefined, undefined],
    ["one with another definition", toTool({ hash: "other" }), "TOOL_VALIDATION_ERROR"],
    ["one that is kept back", toTool({ quarantine: { reason: "changed", differs: [] } }), "TOOL_QUARANTINED"],
  ])("handles %s", (_case, known, code) => {
    expect(codeOf(() => assertUnchanged(tool, known))).toBe(code);
  });
});
