import { inHome, inProject } from "../system.js";
import { plainClient } from "./plain.js";

export const warp = plainClient("warp", "Warp", (system) => [
  { scope: "project", path: inProject(system, ".warp", ".mcp.json") },
  { scope: "user", path: inHome(system, ".warp", ".mcp.json") },
]);
