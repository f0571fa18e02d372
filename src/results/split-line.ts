const CLAUSE_CHARACTERS = 180;
const MIN_CHARACTERS = 90;
const SENTENCE = /(?<=[.!?;:。！？；]["')\]]?\s+)(?=\S)|(?<=[。！？；])/u;
const COMMA = /(?<=[,，、|]\s*)(?=\S)/u;
const WORD = /(?<=\s)(?=\S)/u;

/**
 * Divides a long line at the ends of its sentences, and long sentences at commas. The pieces have the spaces after them
 * and are together the line.
 */
export function splitLine(line: string): string[] {
  if (line.length <= CLAUSE_CHARACTERS) return [line];
  return merge(line.split(SENTENCE), MIN_CHARACTERS).flatMap((sentence) =>
    sentence.length <= CLAUSE_CHARACTERS
      ? [sentence]
      : merge(sentence.split(COMMA), MIN_CHARACTERS).flatMap(splitWords),
  );
}

/** Joins short pieces with their neighbours. */
function merge(pieces: readonly string[], characters: number): string[] {
  const merged: string[] = [];
  for (const piece of pieces) {
    const last = merged.at(-1);
    if (last !== undefined && last.length + piece.length < characters) merged[merged.length - 1] = last + piece;
    else merged.push(piece);
  }
  return merged;
}

function splitWords(piece: string): string[] {
  if (piece.length <= 2 * CLAUSE_CHARACTERS) return [piece];
  return merge(piece.split(WORD).flatMap(splitLong), CLAUSE_CHARACTERS);
}

function splitLong(word: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < word.length; ) {
    const end = at + 2 * CLAUSE_CHARACTERS;
    const to = (word.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end - 1 : end;
    parts.push(word.slice(at, to));
    at = to;
  }
  return parts;
}
