import { createHash } from "node:crypto";

/** What every model provider takes as the name of a tool. */
const LONGEST = 64;
const ALLOWED = /^[A-Za-z0-9_-]{1,64}$/;
const SEPARATOR = "__";
const HASH_LENGTH = 10;
/** Room for a hash that nobody can bring about twice. */
const LONG_HASH_LENGTH = 40;
/** No alias that is just a name ends like one with a hash, so that the two can never be the same. */
const HASHED = /_(?:[0-9a-v]{10}|[0-9a-v]{40})$/;

export interface Named {
  readonly server: string;
  readonly name: string;
}

/**
 * A name for a tool that depends on its server and its own name alone, whatever else there is: `server__tool`, or just
 * `tool` where there is one server only. Where that is too long, has other characters, or could be read in two ways,
 * the end is a hash of the id.
 */
export function toAlias(tool: Named, isAlone: boolean, hashLength = HASH_LENGTH): string {
  const { server, name } = tool;
  const plain = isAlone ? name : `${server}${SEPARATOR}${name}`;
  const isClear = ALLOWED.test(plain) && !HASHED.test(plain) && (isAlone || isPrefix(server));
  if (isClear && hashLength === HASH_LENGTH) return plain;
  const hash = hashOf(tool).slice(0, hashLength);
  const words = plain.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, LONGEST - 1 - hashLength);
  return `${words}_${hash}`;
}

/** The first separator of an alias is the one behind the server only if the server has none and no part of one. */
function isPrefix(server: string): boolean {
  return !server.includes(SEPARATOR) && !server.endsWith("_");
}

/** In the 32 letters of base32hex, 5 bits each. */
function hashOf({ server, name }: Named): string {
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

/** Every tool under its alias. Two whose short hashes are the same are told apart by longer ones, both of them. */
export function toAliases<Tool extends Named>(
  tools: Iterable<Tool>,
  isAlone: boolean,
  alias: typeof toAlias = toAlias,
): Map<string, Tool> {
  const byAlias = new Map<string, Tool>();
  const shared = new Set<string>();
  const rivals: Tool[] = [];
  for (const tool of tools) {
    const short = alias(tool, isAlone);
    const other = byAlias.get(short);
    if (other === undefined) {
      byAlias.set(short, tool);
      continue;
    }
    if (!shared.has(short)) rivals.push(other);
    shared.add(short);
    rivals.push(tool);
  }
  for (const short of shared) byAlias.delete(short);
  for (const tool of rivals) byAlias.set(alias(tool, isAlone, LONG_HASH_LENGTH), tool);
  return byAlias;
}
