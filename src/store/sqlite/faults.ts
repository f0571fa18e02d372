import { MissingDriverError } from "./driver.js";
import { primaryCode } from "./busy.js";
import type { DatabaseFault } from "./operations.js";
import { ForeignDatabaseError, NewerDatabaseError } from "./schema.js";

export const DAMAGED_HINT =
  "Stop all gateways. Then restore the database file from a backup, or move it and its -wal and -shm files away; the gateway then creates a new database.";

/**
 * The SQLite result codes that a user can act on. A fatal fault closes the connection; the next request opens a new
 * one.
 */
const FAULTS: Readonly<Record<number, DatabaseFault>> = {
  5: fault("another process held the write lock too long", "End gateway processes that hang, then try again."),
  8: fault("the file is read-only", "Make the file and its folder writable for the gateway.", true),
  10: fault("the disk failed to read or write", "Check the disk and the system log, then try again.", true),
  11: damaged("the content of the file is damaged"),
  13: fault("the disk is full", "Free space on the disk, then try again.", true),
  14: fault("the file cannot be opened", "Create the folder and make it writable for the gateway.", true),
  26: damaged("the file is not a database"),
};

export function toFault(error: unknown): DatabaseFault {
  const known = FAULTS[primaryCode(error) ?? -1];
  if (known !== undefined) return known;
  const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  if (error instanceof MissingDriverError) {
    return fault(
      reason,
      "Reinstall the package with all its dependencies on a platform with a prebuilt binary (Linux, macOS or Windows on x64 or arm64), or use Node 24 or later.",
      true,
    );
  }
  if (error instanceof NewerDatabaseError) {
    return fault(reason, "Update this program, or set ANYGPT_HOME to another folder.", true);
  }
  if (error instanceof ForeignDatabaseError) {
    return fault(reason, "Move the database file away, or set ANYGPT_HOME to another folder.", true);
  }
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code === "EACCES" || code === "EPERM" || code === "EROFS" || code === "ENOTDIR" || code === "EEXIST") {
    return fault(
      `the folder cannot be used (${code})`,
      "Correct the permissions of the folder, or choose another folder for the store.",
      true,
    );
  }
  if (code === "ENOSPC") return fault("the disk is full", "Free space on the disk, then try again.", true);
  return fault(reason, "This is probably a defect of the gateway. Report it with this message.");
}

function fault(reason: string, hint: string, isFatal = false): DatabaseFault {
  return { reason, hint, isFatal };
}

function damaged(reason: string): DatabaseFault {
  return fault(reason, DAMAGED_HINT, true);
}
