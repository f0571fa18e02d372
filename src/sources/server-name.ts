import { checkSchema } from "../util/document/schema.js";
import { sanitize } from "../util/terminal.js";
import { cutAtWord } from "../util/text.js";
import { serverName } from "./options.js";

const LONGEST = 64;
const SHOWN = 100;

/** A valid server name. Other programs allow slashes, colons and other characters, which `server:tool` cannot contain. */
export function toUniqueServerName(written: string): { readonly name: string; readonly note?: string } {
  if (checkSchema(serverName, written).kind === "ok") return { name: written };
  const fitting = written
    .slice(0, 4 * LONGEST)
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}._ -]+/gu, "-")
    .replace(/^[^\p{L}\p{N}]+/u, "");
  const name = fitting.slice(0, LONGEST).replace(/[\ud800-\udbff]$|[ -]+$/, "");
  const shown = cutAtWord(sanitize(written).replaceAll("\n", "\\n"), SHOWN);
  const known = checkSchema(serverName, name).kind === "ok" ? name : "server";
  return { name: known, note: `The name "${shown}" is not allowed here and was changed to "${known}".` };
}
