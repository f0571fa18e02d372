/**
 * Characters that make a terminal act, hide text or reorder it: controls, format characters, line and paragraph
 * separators, lone surrogates. The two joiners stay, because words of several scripts and many emoji need them.
 */
const UNSAFE = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Text of strangers, fit for a terminal: what would act on it is shown as an escape; line breaks and tabs stay. */
export function sanitize(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(UNSAFE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\u{${code.toString(16)}}` : escapeUnit(code);
  });
}

/** JSON that means the same and holds no character that acts on a terminal. */
export function sanitizeJson(json: string): string {
  return json.replace(UNSAFE, (character) =>
    Array.from({ length: character.length }, (_, index) => escapeUnit(character.charCodeAt(index))).join(""),
  );
}

function escapeUnit(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`;
}

const INVISIBLE = /[\p{M}\u200c\u200d]/u;
// East Asian wide and full-width blocks and the emoji blocks, as terminals draw them in two cells.
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;

/** How many cells the text takes on a terminal. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += INVISIBLE.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** The text in at most `width` cells; what is left out is marked. */
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
