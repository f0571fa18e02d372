import { MissingDriverError } from "./driver.js";
import { primaryCode } from "./busy.js";
import type { Fault } from "./operations.js";
import { ForeignDatabaseError, NewerDatabaseError } from "./schema.js";

/** SQLite's result codes that a person can do something about. Fatal ones end the connection; the next use opens a new one. */
const FAULTS: Readonly<Record<number, Fault>> = {
  5: fault("another process held it too long", "Look for a gateway process that hangs, end it and try again."),
  8: fault("it is read-only", "Make the file and its folder writable for the gateway.", true),
  10: fault("the disk failed to read or write", "Check the disk and the system's log, then try again.", true),
  11: damaged("its content is damaged"),
  13: fault("the disk is full", "Free space on the disk, then try again.", true),
  14: fault("it cannot be opened", "Make the folder exist and writable for the gateway.", true),
  26: damaged("it is not a database"),
};

/** The one place where a foreign error becomes ours. What is not known to be harmless ends the connection. */
export function toFault(error: unknown): Fault {
  const known = FAULTS[primaryCode(error) ?? -1];
  if (known !== undefined) return known;
  const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  if (error instanceof MissingDriverError) {
    return fault(
      reason,
      "Install again without leaving out dependencies, on a platform with a prebuilt binary (Linux, macOS or Windows on x64 or arm64), or use Node 24 or later.",
      true,
    );
  }
  if (error instanceof NewerDatabaseError) {
    return fault(reason, "Update this program, or point ANYGPT_HOME at another folder.", true);
  }
  if (error instanceof ForeignDatabaseError) {
    return fault(reason, "Move that file away, or point ANYGPT_HOME at another folder.", true);
  }
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code === "EACCES" || code === "EPERM" || code === "EROFS" || code === "ENOTDIR" || code === "EEXIST") {
    return fault(
      `its folder cannot be used (${code})`,
      "Correct the folder's permissions or choose another one.",
      true,
    );
  }
  if (code === "ENOSPC") return fault("the disk is full", "Free space on the disk, then try again.", true);
  return fault(reason, "If the request was in order, report it: this is a defect of the gateway.");
}

function fault(reason: string, hint: string, isFatal = false): Fault {
  return { reason, hint, isFatal };
}

function damaged(reason: string): Fault {
  return fault(
    reason,
    "End all gateways, then restore the file from a backup or move it and those beside it away; a new one is made.",
    true,
  );
}
