import { createRandom, type Random } from "../faults/support/random.js";

/** Values that try to escape a path, a line or a quoted value, plain and in encodings that some servers decode. */
const ATOMS = [
  "..",
  ".",
  "../",
  "..\\",
  "/..",
  "/../../etc/passwd",
  "..;/",
  "..;a=b/admin",
  "./",
  "//evil.example/",
  "\\\\evil.example\\",
  "https://evil.example/",
  "@evil.example",
  "?admin=true",
  "&admin=true",
  "#fragment",
  ";admin=true",
  "=",
  "%",
  "%2e%2e%2f",
  "%2E%2E/",
  "%252e%252e%252f",
  "%c0%ae%c0%ae%c0%af",
  "%u002e%u002e%u2215",
  "..%00/",
  "..%2f",
  "..%5c",
  "%2f..%2f",
  "\r\nX-Injected: yes",
  "\nX-Injected: yes",
  "\rX-Injected: yes",
  "%0d%0aX-Injected:%20yes",
  "\r\n\r\nGET /admin HTTP/1.1\r\nHost: evil.example\r\n\r\n",
  "\u2028X-Injected: yes",
  "\u560d\u560aX-Injected: yes",
  "\0",
  "\0/..",
  "\t",
  "\u007f",
  "\u0085",
  " ",
  "",
  "; Path=/; Domain=evil.example",
  ", Authorization=Basic",
  "{id}",
  "{}",
  "[admin]",
  "[]=1",
  '"><script>',
  "'; DROP TABLE users; --",
  "$(id)",
  "`id`",
  "ü",
  "日本",
  "🜂",
  "\ud800",
  "ﹳ․․／",
  "．．／",
  "..\u2215",
  "a".repeat(3000),
];

const WRAPS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `a${text}`,
  (text) => `${text}b`,
  (text) => `a/${text}/b`,
  (text) => text.repeat(8),
  (text) => text.toWellFormed().replace(/[^]/gu, (character) => encodeURIComponent(character)),
  (text) => encodeBytes(text),
  (text) => encodeBytes(encodeBytes(text)),
];

/** Mostly strings, and lists and objects of them, some with hostile names. */
export function hostileValues(count: number, seed: number): unknown[] {
  const random = createRandom(seed);
  const plain = WRAPS.flatMap((wrap) => ATOMS.map((atom) => wrap(atom)));
  const values = new Map<string, unknown>(plain.map((value) => [JSON.stringify(value), value]));
  while (values.size < count) {
    const value = mix(random);
    values.set(JSON.stringify(value), value);
  }
  return [...values.values()].slice(0, count);
}

function mix(random: Random): unknown {
  const text = (): string => {
    const atoms = Array.from({ length: random.between(1, 5) }, () => random.pick(ATOMS.slice(0, -1)));
    return random.pick(WRAPS)(atoms.join(random.pick(["", "/", "a", "\\"])));
  };
  if (random.chance(0.6)) return text();
  if (random.chance(0.5)) return Array.from({ length: random.between(0, 4) }, text);
  return Object.fromEntries(Array.from({ length: random.between(0, 4) }, () => [text(), text()]));
}

function encodeBytes(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
}
