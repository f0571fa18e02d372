import { inHome } from "../system.js";
import type { ClientPlace } from "./client.js";
import { extensionFiles } from "./editors.js";
import { plainClient } from "./plain.js";

const FILE = "cline_mcp_settings.json";

/** One file for all of Cline since it left the editor, and the extension's own before. */
export const cline = plainClient("cline", "Cline", (system): ClientPlace[] => [
  { scope: "user", path: inHome(system, ".cline", "data", "settings", FILE) },
  ...extensionFiles(system, "saoudrizwan.claude-dev", FILE).map((path) => ({ scope: "user" as const, path })),
]);
