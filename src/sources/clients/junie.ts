import { inHome, inProject } from "../system.js";
import { plainClient } from "./plain.js";

export const junie = plainClient("junie", "JetBrains Junie", (system) => [
  { scope: "project", path: inProject(system, ".junie", "mcp", "mcp.json") },
  { scope: "user", path: inHome(system, ".junie", "mcp", "mcp.json") },
]);
