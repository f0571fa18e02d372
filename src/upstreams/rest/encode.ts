import { wrongArgument } from "./wrong-argument.js";

/** Percent-encodes all but unreserved characters (RFC 3986). */
export function encode(text: string, argument: string): string {
  if (!text.isWellFormed()) throw wrongArgument(argument, "contains an unpaired surrogate");
  return encodeURIComponent(text).replace(/[!'()*]/g, toTriplet);
}

/** Percent-encodes like `encode`, but keeps reserved characters except those that would end the value. */
export function encodeReserved(text: string, argument: string): string {
  return encode(text, argument).replace(/%(?:3A|2F|3F|5B|5D|40|21|24|27|28|29|2A|2C|3B|3D)/g, (triplet) =>
    decodeURIComponent(triplet),
  );
}

/** Encodes a string for `application/x-www-form-urlencoded`. */
export function encodeForm(text: string, argument: string): string {
  return encode(text, argument).replaceAll("%20", "+");
}

function toTriplet(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
