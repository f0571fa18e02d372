const TEMPLATE_CHARACTERS = 120;
const HASH = 35;

/** The beginning of a line with `#` for each number, also hexadecimal. Lines with the same template are similar. */
export function toTemplate(line: string): string {
  let template = "";
  for (let at = 0; at < line.length && at < TEMPLATE_CHARACTERS; ) {
    const end = endOfWord(line, at, line.length);
    template += hasDigit(line, at, end) ? "#" : line.slice(at, Math.max(end, at + 1));
    at = Math.max(end, at + 1);
  }
  return template;
}

/** Whether the line from `start` to `end` has the template. Creates no string, because a log has very many lines. */
export function hasTemplate(text: string, start: number, end: number, template: string): boolean {
  let position = 0;
  let at = start;
  while (at < end && at - start < TEMPLATE_CHARACTERS) {
    const to = endOfWord(text, at, end);
    if (hasDigit(text, at, to)) {
      if (template.charCodeAt(position) !== HASH) return false;
      position += 1;
      at = to;
      continue;
    }
    for (const last = Math.max(to, at + 1); at < last; at += 1) {
      if (template.charCodeAt(position) !== text.charCodeAt(at)) return false;
      position += 1;
    }
  }
  return position === template.length;
}

/** The end of the hexadecimal digits that start at `from`. */
function endOfWord(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && isHexadecimal(text.charCodeAt(at))) at += 1;
  return at;
}

function isHexadecimal(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);
}

function hasDigit(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57) return true;
  }
  return false;
}
