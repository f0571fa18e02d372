import { inHome, inProject } from "../system.js";
import { plainClient } from "./plain.js";

export const kiro = plainClient("kiro", "Kiro", (system) => [
  { scope: "project", path: inProject(system, ".kiro", "settings", "mcp.json") },
  { scope: "user", path: inHome(system, ".kiro", "settings", "mcp.json") },
]);
