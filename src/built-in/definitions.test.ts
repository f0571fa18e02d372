import { expect, it } from "vitest";
import { compileRuling } from "../policy/ruling.js";
import { policyOptions } from "../policy/options.js";
import { createPolicy } from "../policy/policy.js";
import type { Tool, ToolDefinition } from "../model/tool.js";
import { CALL, DISCOVER, WRITE_TOOLS } from "./definitions.js";

const toTool = (definition: ToolDefinition): Tool => ({
  id: `anygpt:${definition.name}`,
  server: "anygpt",
  name: definition.name,
  definition,
  hash: "",
  enabled: true,
  tags: [],
});

it.each([DISCOVER, CALL, WRITE_TOOLS])(
  "$name is allowed for the local user and for callers with the scope",
  async (definition) => {
    const options = policyOptions.parse({});
    const policy = createPolicy(options, await compileRuling(options, () => Promise.resolve(() => [])));
    const call = { surface: "mcp", hasKey: false, confirmed: true, canAsk: true, dryRun: false } as const;
    const judged = (scopes?: readonly string[]) =>
      policy.judge({
        tool: toTool(definition),
        pin: "same",
        actor: { id: "a", ...(scopes === undefined ? {} : { scopes }) },
        call,
      });
    for (const scopes of [[], ["anygpt:metrics"]]) {
      expect(judged(scopes)).toMatchObject({ kind: "deny", code: "SCOPE_REQUIRED", missing: ["anygpt:discover"] });
    }
    for (const scopes of [undefined, ["*"], ["anygpt:discover"]]) expect(judged(scopes).kind).not.toBe("deny");
  },
);
