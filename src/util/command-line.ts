/** Formats a command line for display, with quotes where necessary. Do not pass it to a shell. */
export function commandLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./${}-]+$/.test(word) ? word : JSON.stringify(word))).join(" ");
}

/** Formats a command line that a POSIX shell splits into exactly these words. */
export function shellLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}
