import { randomUUID } from "node:crypto";

const TIME_DIGITS = 12;

/**
 * A UUID that begins with the time (version 7 of RFC 9562): where requests are kept by their ids, those of one time lie
 * together, and a write touches few places of the disk.
 */
export function newRequestId(now: number = Date.now()): string {
  const time = now.toString(16).padStart(TIME_DIGITS, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
