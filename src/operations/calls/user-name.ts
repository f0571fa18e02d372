import { userInfo } from "node:os";

/** The name of the user who answers, for the audit log. A user without an entry in the system's table has no name. */
export function userName(): string {
  try {
    return userInfo().username || "local";
  } catch {
    return "local";
  }
}
