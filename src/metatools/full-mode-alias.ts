import { createHash } from "node:crypto";

/** Every model provider accepts tool names of up to 64 of these characters. */
const MAX_LENGTH = 64;
const ALLOWED = /^[A-Za-z0-9_-]{1,64}$/;
const SEPARATOR = "__";
const HASH_LENGTH = 10;
/** 200 bits: long enough that no collision can be constructed. */
const LONG_HASH_LENGTH = 40;
/** A plain name that ends like a hash gets a hash as well, so that it can never equal a hashed alias. */
const HASHED = /_(?:[0-9a-v]{10}|[0-9a-v]{40})$/;

export interface AliasedTool {
  readonly server: string;
  readonly name: string;
}

/**
 * The name of a tool in full mode: `server__tool`, or `tool` if there is only one server. It depends only on the names of
 * the server and the tool, so it stays the same when other tools come or go. If it is too long, has other characters
 * or is ambiguous, it ends with a hash of the two names.
 */
export function toAlias(tool: AliasedTool, isAlone: boolean, hashLength = HASH_LENGTH): string {
  const { server, name } = tool;
  const plain = isAlone ? name : `${server}${SEPARATOR}${name}`;
  const isClear = ALLOWED.test(plain) && !HASHED.test(plain) && (isAlone || isPrefix(server));
  if (isClear && hashLength === HASH_LENGTH) return plain;
  const hash = hashOf(tool).slice(0, hashLength);
  const words = plain.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, MAX_LENGTH - 1 - hashLength);
  return `${words}_${hash}`;
}

/** `server__tool` can only be split unambiguously if the server's name has no separator and does not end with a part of one. */
function isPrefix(server: string): boolean {
  return !server.includes(SEPARATOR) && !server.endsWith("_");
}

/** SHA-256 in base32hex: 5 bits for each character. */
function hashOf({ server, name }: AliasedTool): string {
  const bits = createHash("sha256")
    .update(JSON.stringify([server, name]))
    .digest();
  let text = "";
  let rest = 0;
  let count = 0;
  for (const byte of bits) {
    rest = (rest << 8) | byte;
    count += 8;
    while (count >= 5) {
      text += ((rest >> (count - 5)) & 31).toString(32);
      count -= 5;
    }
    rest &= (1 << count) - 1;
  }
  return text;
}

/** Maps each alias to its tool. Tools whose short aliases collide all get the long hash. */
export function toAliases<Tool extends AliasedTool>(
  tools: Iterable<Tool>,
  isAlone: boolean,
  alias: typeof toAlias = toAlias,
): Map<string, Tool> {
  const byAlias = new Map<string, Tool>();
  const shared = new Set<string>();
  const colliding: Tool[] = [];
  for (const tool of tools) {
    const short = alias(tool, isAlone);
    const other = byAlias.get(short);
    if (other === undefined) {
      byAlias.set(short, tool);
      continue;
    }
    if (!shared.has(short)) colliding.push(other);
    shared.add(short);
    colliding.push(tool);
  }
  for (const short of shared) byAlias.delete(short);
  for (const tool of colliding) byAlias.set(alias(tool, isAlone, LONG_HASH_LENGTH), tool);
  return byAlias;
}
