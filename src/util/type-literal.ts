/**
 * Formats a JSON value for a type expression: strings in single quotes, unless they contain characters that need an
 * escape.
 */
export function toLiteral(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value);
  return /['\\\p{Cc}\u2028\u2029]/u.test(value) ? JSON.stringify(value) : `'${value}'`;
}

/** Formats the name of a property: quoted unless it is a plain word. */
export function toMemberName(name: string): string {
  return /^[\w$@.-]+$/u.test(name) ? name : toLiteral(name);
}

/** Formats a regular expression between slashes. Slashes within it are escaped as in JavaScript. */
export function toLiteralPattern(pattern: string): string {
  return `/${pattern.replace(/\\[\s\S]|\//gu, (part) => (part === "/" ? "\\/" : part))}/`;
}

export function toComment(text: string): string {
  return ` /*${text.replaceAll("*/", "* /")}*/`;
}
