import { inHome, inProject, namedPlace, under } from "../system.js";
import { plainClient } from "./plain.js";

/** It also reads the project's `.mcp.json`, which is Claude Code's here. */
export const copilotCli = plainClient("copilot-cli", "GitHub Copilot CLI", (system) => [
  { scope: "project", path: inProject(system, ".github", "mcp.json") },
  {
    scope: "user",
    path: under(system, namedPlace(system, "COPILOT_HOME") ?? inHome(system, ".copilot"), "mcp-config.json"),
  },
]);
