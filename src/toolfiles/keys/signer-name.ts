import { hostname, userInfo } from "node:os";

const LONGEST = 80;

/** `ann@laptop`: what others see of whoever signs, until somebody chooses another name. */
export function signerName(): string {
  const name = `${userName()}@${hostname()}`.replace(/[^\p{L}\p{N}@._-]/gu, "-");
  return Array.from(name).slice(0, LONGEST).join("");
}

/** Accounts of services may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "somebody";
  }
}
