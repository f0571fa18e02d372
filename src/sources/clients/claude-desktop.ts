import { applicationData, localApplicationData, under } from "../system.js";
import { plainClient, speaking } from "./plain.js";

const FILE = "claude_desktop_config.json";

/** On Windows the packaged app (the usual one since February 2026) reads a copy of its own; the other may be stale. */
export const claudeDesktop = speaking(
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
