import { inProject } from "../system.js";
import type { ClientLocation } from "./client.js";
import { extensionFiles } from "./editors.js";
import { plainClient } from "./plain.js";

export const roo = plainClient("roo", "Roo Code", (system): ClientLocation[] => [
  { scope: "project", path: inProject(system, ".roo", "mcp.json") },
  ...extensionFiles(system, "rooveterinaryinc.roo-cline", "mcp_settings.json").map((path) => ({
    scope: "user" as const,
    path,
  })),
]);
