/** Splits a command line into words, with quotes and backslashes as in shells; undefined if a quote is not closed. */
export function splitCommand(line: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === "\\" && quote !== "'" && isEscaped(line.charAt(at + 1), quote)) {
      at += 1;
      word = (word ?? "") + line.charAt(at);
    } else if (character === quote) {
      quote = undefined;
    } else if (quote === undefined && (character === '"' || character === "'")) {
      quote = character;
      word ??= "";
    } else if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + character;
    }
  }
  if (quote !== undefined) return undefined;
  return word === undefined ? words : [...words, word];
}

/** Whether a backslash before this character is an escape. Any other backslash is literal, as in Windows paths. */
function isEscaped(next: string, quote: string | undefined): boolean {
  return quote === '"' ? next === '"' || next === "\\" : /^[\s"'\\]$/.test(next);
}
