import { userInfo } from "node:os";

/** The name of the user for the audit log. `userInfo` throws if the user has no entry in the password database. */
export function userName(): string {
  try {
    return userInfo().username || "local";
  } catch {
    return "local";
  }
}
