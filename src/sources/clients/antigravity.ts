import { inHome } from "../system.js";
import { plainClient } from "./plain.js";

/** Antigravity 2 has one shared file; earlier versions have one file for the editor and one for the CLI. */
export const antigravity = plainClient("antigravity", "Antigravity", (system) => [
  { scope: "user", path: inHome(system, ".gemini", "config", "mcp_config.json") },
  { scope: "user", path: inHome(system, ".gemini", "antigravity", "mcp_config.json") },
  { scope: "user", path: inHome(system, ".gemini", "antigravity-cli", "mcp_config.json") },
]);
