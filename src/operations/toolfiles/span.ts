import { DiscoveryError } from "../../errors.js";

const HOUR_MS = 60 * 60_000;
const UNIT_MS: Readonly<Record<string, number>> = { h: HOUR_MS, d: 24 * HOUR_MS, w: 7 * 24 * HOUR_MS };

/** Converts `30d`, `12h`, `4w` or `0` to milliseconds. */
export function parseSpan(text: string): number {
  if (text === "0") return 0;
  const [, amount = "", unit = ""] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  const ms = UNIT_MS[unit];
  if (ms !== undefined) return Number(amount) * ms;
  throw new DiscoveryError("INVALID_REQUEST", `${JSON.stringify(text)} is not a valid duration.`, {
    hint: "Write a number of hours, days or weeks, such as 12h, 30d or 4w, or 0.",
  });
}
