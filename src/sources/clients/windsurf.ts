import { inHome } from "../system.js";
import { plainClient, withDialect } from "./plain.js";

/** The file of the Windsurf editor, and the file of the Windsurf plugin for other editors. */
export const windsurf = withDialect(
  "prefixed",
  plainClient("windsurf", "Windsurf", (system) => [
    { scope: "user", path: inHome(system, ".codeium", "windsurf", "mcp_config.json") },
    { scope: "user", path: inHome(system, ".codeium", "mcp_config.json") },
  ]),
);
