import { inHome } from "../system.js";
import { plainClient } from "./plain.js";

/** The shared file of version 2, and those of the editor and the command line before. */
export const antigravity = plainClient("antigravity", "Antigravity", (system) => [
  { scope: "user", path: inHome(system, ".gemini", "config", "mcp_config.json") },
  { scope: "user", path: inHome(system, ".gemini", "antigravity", "mcp_config.json") },
  { scope: "user", path: inHome(system, ".gemini", "antigravity-cli", "mcp_config.json") },
]);
