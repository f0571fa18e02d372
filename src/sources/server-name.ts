import { checkSchema } from "../util/document/schema.js";
import { sanitize } from "../util/terminal.js";
import { cutAtWord } from "../util/text.js";
import { serverName } from "./options.js";

const MAX_LENGTH = 64;
const MAX_SHOWN_LENGTH = 100;

/**
 * Converts a name from another program's file to a valid server name. Other programs allow slashes, colons and other
 * characters, which `server:tool` cannot contain.
 */
export function toValidServerName(written: string): { readonly name: string; readonly note?: string } {
  if (checkSchema(serverName, written).kind === "ok") return { name: written };
  const allowed = written
    .slice(0, 4 * MAX_LENGTH)
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}._ -]+/gu, "-")
    .replace(/^[^\p{L}\p{N}]+/u, "");
  const name = allowed.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$|[ -]+$/, "");
  const shown = cutAtWord(sanitize(written).replaceAll("\n", "\\n"), MAX_SHOWN_LENGTH);
  const known = checkSchema(serverName, name).kind === "ok" ? name : "server";
  return { name: known, note: `The name "${shown}" is not allowed here and was changed to "${known}".` };
}
