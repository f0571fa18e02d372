import { inHome } from "../system.js";
import type { ClientLocation } from "./client.js";
import { extensionFiles } from "./editors.js";
import { plainClient } from "./plain.js";

const FILE = "cline_mcp_settings.json";

/** Current versions of Cline use one file in the home folder; older versions use one file per editor. */
export const cline = plainClient("cline", "Cline", (system): ClientLocation[] => [
  { scope: "user", path: inHome(system, ".cline", "data", "settings", FILE) },
  ...extensionFiles(system, "saoudrizwan.claude-dev", FILE).map((path) => ({ scope: "user" as const, path })),
]);
