/** A JSON value as type expressions write it: text in single quotes, which JSON need not escape, unless it holds one. */
export function toLiteral(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value);
  return /['\\\p{Cc}\u2028\u2029]/u.test(value) ? JSON.stringify(value) : `'${value}'`;
}

/** A property's name, quoted where it is no plain word. */
export function toMemberName(name: string): string {
  return /^[\w$@.-]+$/u.test(name) ? name : toLiteral(name);
}

/** A regular expression between slashes; a slash within it is escaped as JavaScript does. */
export function toPatternText(pattern: string): string {
  return `/${pattern.replace(/\\[\s\S]|\//gu, (part) => (part === "/" ? "\\/" : part))}/`;
}

export function toComment(text: string): string {
  return ` /*${text.replaceAll("*/", "* /")}*/`;
}
