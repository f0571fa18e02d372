import { expect, it } from "vitest";
import { wrapCommand } from "./wrap-command.js";

const COMMAND = "anygpt mcp add files -- npx -y @modelcontextprotocol/server-filesystem ~/documents";

it("does not wrap a command that fits", () => {
  expect(wrapCommand(COMMAND, 200, "    ")).toBe(COMMAND);
});

it("breaks a long command between words, with a backslash that a shell understands", () => {
  const wrapped = wrapCommand(COMMAND, 50, "    ");
  expect(wrapped).toBe(
    "anygpt mcp add files -- npx -y \\\n    @modelcontextprotocol/server-filesystem \\\n    ~/documents",
  );
  expect(wrapped.split("\n").every((row) => row.length <= 50)).toBe(true);
});

it("breaks nothing inside quotes", () => {
  expect(wrapCommand(`anygpt search "read a text file" --limit 3`, 30, "  ")).toBe(
    `anygpt search \\\n  "read a text file" --limit 3`,
  );
});
