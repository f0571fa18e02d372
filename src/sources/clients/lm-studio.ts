import { inHome } from "../system.js";
import { plainClient } from "./plain.js";

/** Older versions of LM Studio use the second path. */
export const lmStudio = plainClient("lm-studio", "LM Studio", (system) => [
  { scope: "user", path: inHome(system, ".lmstudio", "mcp.json") },
  { scope: "user", path: inHome(system, ".cache", "lm-studio", "mcp.json") },
]);
