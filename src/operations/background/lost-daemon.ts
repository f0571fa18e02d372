import { DiscoveryError } from "../../errors.js";

export function lostDaemon(): DiscoveryError {
  return new DiscoveryError("INTERNAL_ERROR", "The background gateway exited before the command was finished.", {
    hint: [
      "A tool that the command called may have run.",
      { action: "run-command", command: "anygpt mcp audit", purpose: "see which calls were made" },
      { action: "run-command", command: "anygpt mcp daemon logs", purpose: "see why it exited" },
    ],
  });
}
