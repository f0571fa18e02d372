import type { Random } from "./random.js";

/** A JSON text, and whether every JSON parser reads the same value from it. */
export interface ValueText {
  readonly text: string;
  readonly isPlain: boolean;
}

const ODD = [
  "9007199254740993",
  "-9007199254740993",
  "12345678901234567890",
  "1e400",
  "-1e400",
  "-0",
  "-0.0",
  "1e-400",
  "0.1234567890123456789",
  "1.7976931348623157e309",
  '"\\ud800"',
  '"\\udc00x"',
  '"a\\ud83d"',
  '"\\u0000"',
  '"a\\u0000b"',
];
const PLAIN = [
  "0",
  "1",
  "-1",
  "9007199254740991",
  "-9007199254740991",
  "0.1",
  "1e21",
  "1.5e-7",
  "5e-324",
  "1.7976931348623157e308",
  "true",
  "false",
  "null",
  "[]",
  "{}",
  '""',
  '"\\u2028\\u2029"',
  '"\\u007f\\u0080"',
  '"\\ud83d\\ude00"',
  '"é😀ß"',
  '"\\/\\b\\f\\n\\r\\t\\"\\\\"',
  '"</script>"',
  '"%00"',
  '"__proto__"',
];
const ODD_KEYS = ["__proto__", "constructor", "prototype"];

/** About half of them are unusual somewhere. */
export function makeValue(random: Random): ValueText {
  return nest(random, random.chance(0.5), 0);
}

function nest(random: Random, mayBeOdd: boolean, depth: number): ValueText {
  const dice = random.next();
  if (depth >= 4 || dice < 0.3) {
    const isOdd = mayBeOdd && random.chance(0.4);
    return { text: random.pick(isOdd ? ODD : PLAIN), isPlain: !isOdd };
  }
  const inner = Array.from({ length: random.between(1, 5) }, () => nest(random, mayBeOdd, depth + 1));
  const arePlain = inner.every(({ isPlain }) => isPlain);
  if (dice < 0.6) return { text: `[${inner.map(({ text }) => text).join(",")}]`, isPlain: arePlain };
  const keys = inner.map((_, index) => `k${index}`);
  const isDoubled = mayBeOdd && inner.length > 1 && random.chance(0.2);
  const isOddKey = mayBeOdd && random.chance(0.1);
  if (isDoubled) keys[1] = keys[0]!;
  if (isOddKey) keys[0] = random.pick(ODD_KEYS);
  const members = inner.map(({ text }, index) => `${JSON.stringify(keys[index])}:${text}`);
  return { text: `{${members.join(",")}}`, isPlain: arePlain && !isDoubled && !isOddKey };
}
