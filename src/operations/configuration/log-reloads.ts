import { describeDifference } from "../../gateway/configuration-difference.js";
import type { Reload } from "../../gateway/lifecycle.js";

/** Logs each reload. An invalid configuration is ignored, and the same error is logged only once. */
export function createReloadLogger(log: (message: string) => void): (reload: Reload) => void {
  let lastError = "";
  return (reload) => {
    if (reload.kind === "done") {
      lastError = "";
      log(`The configuration was reloaded: ${describeDifference(reload.difference)}.`);
    } else if (reload.reason.message !== lastError) {
      lastError = reload.reason.message;
      log(`The new configuration is invalid, so the previous one stays in use: ${lastError}`);
    }
  };
}
