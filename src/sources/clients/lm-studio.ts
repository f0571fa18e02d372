import { inHome } from "../system.js";
import { plainClient } from "./plain.js";

/** The second place is that of installations from before the folder was moved. */
export const lmStudio = plainClient("lm-studio", "LM Studio", (system) => [
  { scope: "user", path: inHome(system, ".lmstudio", "mcp.json") },
  { scope: "user", path: inHome(system, ".cache", "lm-studio", "mcp.json") },
]);
