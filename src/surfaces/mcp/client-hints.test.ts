import { expect, it } from "vitest";
import { withClientHints } from "./client-hints.js";

const SEARCH = { name: "search_tools", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } };
const EXECUTE = { name: "execute_tool", inputSchema: { type: "object" } };

it("asks Claude Code to load every tool at once, and to accept long results of the tool that runs others", () => {
  expect(withClientHints({ tools: [SEARCH, EXECUTE] })).toEqual({
    tools: [
      { ...SEARCH, _meta: { "anthropic/alwaysLoad": true } },
      { ...EXECUTE, _meta: { "anthropic/alwaysLoad": true, "anthropic/maxResultSizeChars": 500_000 } },
    ],
  });
});
