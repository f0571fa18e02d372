import { inHome, inProject, pathFromEnvironment, under } from "../system.js";
import { plainClient } from "./plain.js";

/** Copilot CLI also reads the project's `.mcp.json`, but the gateway already imports that file for Claude Code. */
export const copilotCli = plainClient("copilot-cli", "GitHub Copilot CLI", (system) => [
  { scope: "project", path: inProject(system, ".github", "mcp.json") },
  {
    scope: "user",
    path: under(system, pathFromEnvironment(system, "COPILOT_HOME") ?? inHome(system, ".copilot"), "mcp-config.json"),
  },
]);
