import { createHash } from "node:crypto";

/**
 * The maximum length of an alias. All model providers accept tool names of up to 64 characters of the set `ALLOWED`.
 */
const MAX_LENGTH = 64;
const ALLOWED = /^[A-Za-z0-9_-]{1,64}$/;
const SEPARATOR = "__";
const HASH_LENGTH = 10;
/** The length of the hash in characters of 5 bits each: 200 bits, so that nobody can construct a collision. */
const LONG_HASH_LENGTH = 40;
/**
 * Names that look as if they end with a hash. They also get a hash, so that they can never equal the hashed alias of
 * another tool.
 */
const HASHED = /_(?:[0-9a-v]{10}|[0-9a-v]{40})$/;

export interface AliasedTool {
  readonly server: string;
  readonly name: string;
}

/**
 * Returns the name of a tool in full mode: `server__tool`, or `tool` if there is only one server. The name does not
 * depend on other tools, so it stays the same when other tools are added or removed. If a name is too long, contains
 * characters that `ALLOWED` does not allow, or is ambiguous, it is shortened and gets a hash at its end.
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

/**
 * Whether `server__tool` can be split unambiguously: the server's name must not contain `__` and must not end with `_`.
 */
function isPrefix(server: string): boolean {
  return !server.includes(SEPARATOR) && !server.endsWith("_");
}

/** Returns the SHA-256 hash of the server and tool name in base32hex (5 bits per character). */
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
