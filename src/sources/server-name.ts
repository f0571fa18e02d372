import { checkSchema } from "../util/document/schema.js";
import { sanitize } from "../util/terminal.js";
import { cutAtWord } from "../util/text.js";
import { serverName } from "./options.js";

const LONGEST = 64;
const SHOWN = 100;

/** A name that fits ours: other programs allow slashes, colons and anything else, which `server:tool` cannot hold. */
export function toServerName(written: string): { readonly name: string; readonly note?: string } {
  if (checkSchema(serverName, written).kind === "ok") return { name: written };
  const fitting = written
    .slice(0, 4 * LONGEST)
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}._ -]+/gu, "-")
    .replace(/^[^\p{L}\p{N}]+/u, "");
  const name = fitting.slice(0, LONGEST).replace(/[\ud800-\udbff]$|[ -]+$/, "");
  const shown = cutAtWord(sanitize(written).replaceAll("\n", "\\n"), SHOWN);
  const known = checkSchema(serverName, name).kind === "ok" ? name : "server";
  return { name: known, note: `It is called "${shown}" there; a name here cannot be written so.` };
}
