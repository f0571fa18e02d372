import { revealHiddenJson, revealHiddenText } from "./hidden-text.js";

/**
 * Characters that control a terminal, hide text or reorder it: control and format characters, line and paragraph
 * separators, lone surrogates. Zero-width joiner and non-joiner are allowed, because several scripts and many emoji
 * need them.
 */
const UNSAFE = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * Makes untrusted text safe for a terminal: unsafe characters become visible escapes. Line breaks and tabs are
 * preserved.
 */
export function sanitize(text: string): string {
  const visible = text.replaceAll("\r\n", "\n").replace(UNSAFE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\u{${code.toString(16)}}` : escapeUnit(code);
  });
  return revealHiddenText(visible);
}

/** Returns equivalent JSON without characters that control a terminal. */
export function sanitizeJson(json: string): string {
  const visible = json.replace(UNSAFE, (character) =>
    Array.from({ length: character.length }, (_, index) => escapeUnit(character.charCodeAt(index))).join(""),
  );
  return revealHiddenJson(visible);
}

function escapeUnit(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`;
}

const INVISIBLE = /[\p{M}\u200c\u200d]/u;
// East Asian wide and full-width characters and emoji, which terminals draw in two cells.
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;

/** The number of terminal cells that the text takes. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += INVISIBLE.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** Cuts the text to at most `width` cells, with an ellipsis. */
export function cutToWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let [kept, used] = ["", 0];
  for (const character of text) {
    used += displayWidth(character);
    if (used > width - 1) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}
