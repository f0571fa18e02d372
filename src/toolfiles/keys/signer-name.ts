import { hostname, userInfo } from "node:os";

const MAX_LENGTH = 80;

/** `ann@laptop`: the default name of a signer. */
export function signerName(): string {
  const name = `${userName()}@${hostname()}`.replace(/[^\p{L}\p{N}@._-]/gu, "-");
  return Array.from(name).slice(0, MAX_LENGTH).join("");
}

/** System accounts may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "user";
  }
}
