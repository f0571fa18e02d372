import { inHome } from "../system.js";
import { plainClient, speaking } from "./plain.js";

/** The editor's file, and that of the plugin for other editors. */
export const windsurf = speaking(
  "prefixed",
  plainClient("windsurf", "Windsurf", (system) => [
    { scope: "user", path: inHome(system, ".codeium", "windsurf", "mcp_config.json") },
    { scope: "user", path: inHome(system, ".codeium", "mcp_config.json") },
  ]),
);
