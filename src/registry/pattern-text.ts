const TOKEN = /(\\[dws.\-+/]|\[[^\]\\^]+\]|[A-Za-z0-9_:/@#=,;! -])(?:\{(\d{1,3})(?:,\d{0,4})?\}|([+*?]))?/y;
const MAX_LENGTH = 200;

/**
 * Returns a string that matches a simple regular expression such as `^AC[0-9a-f]{32}$`; undefined for more complex
 * ones.
 */
export function toPatternText(pattern: string): string | undefined {
  const body = pattern.replace(/^\^/, "").replace(/\$$/, "");
  let text = "";
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < body.length) {
    const found = TOKEN.exec(body);
    if (found === null || text.length > MAX_LENGTH) return undefined;
    const [, unit = "", times, mark] = found;
    const count = times === undefined ? (mark === "*" || mark === "?" ? 0 : 1) : Number(times);
    text += characterOf(unit).repeat(count);
  }
  return text.length > MAX_LENGTH ? undefined : text;
}

function characterOf(unit: string): string {
  if (unit.startsWith("[")) return unit.charAt(1);
  if (!unit.startsWith("\\")) return unit;
  const escaped = unit.charAt(1);
  return escaped === "d" ? "1" : escaped === "w" ? "a" : escaped === "s" ? " " : escaped;
}
