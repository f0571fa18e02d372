import { hostname, userInfo } from "node:os";

const MAX_LENGTH = 80;

/** The default name of a signer, such as `ann@laptop`. */
export function signerName(): string {
  const name = `${userName()}@${hostname()}`.replace(/[^\p{L}\p{N}@._-]/gu, "-");
  return Array.from(name).slice(0, MAX_LENGTH).join("");
}

/** The name of the current user; a default for system accounts without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "user";
  }
}
