import { inHome, inProject } from "../system.js";
import { plainClient } from "./plain.js";

/** Older versions of Amazon Q Developer store servers in `mcp.json`, newer ones in agent files. */
export const amazonQ = plainClient("amazon-q", "Amazon Q Developer", (system) => [
  { scope: "project", path: inProject(system, ".amazonq", "mcp.json") },
  { scope: "project", path: inProject(system, ".amazonq", "default.json") },
  { scope: "user", path: inHome(system, ".aws", "amazonq", "mcp.json") },
  { scope: "user", path: inHome(system, ".aws", "amazonq", "default.json") },
  { scope: "user", path: inHome(system, ".aws", "amazonq", "agents", "default.json") },
  { scope: "user", path: inHome(system, ".aws", "amazonq", "cli-agents", "*.json") },
]);
