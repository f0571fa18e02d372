import { applicationData, localApplicationData, under } from "../system.js";
import { plainClient, withDialect } from "./plain.js";

const FILE = "claude_desktop_config.json";

/**
 * On Windows, the packaged app of Claude Desktop (the default since February 2026) reads its own copy of the file; the
 * copy in the usual folder may be stale.
 */
export const claudeDesktop = withDialect(
  "none",
  plainClient("claude-desktop", "Claude Desktop", (system) => {
    const packaged = under(
      system,
      localApplicationData(system),
      "Packages",
      "Claude_*",
      "LocalCache",
      "Roaming",
      "Claude",
    );
    return [
      ...(system.platform === "win32" ? [{ scope: "user" as const, path: under(system, packaged, FILE) }] : []),
      { scope: "user", path: under(system, applicationData(system), "Claude", FILE) },
    ];
  }),
);
