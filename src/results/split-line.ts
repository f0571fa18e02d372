const CLAUSE_CHARACTERS = 180;
const SENTENCE_END = /(?<=[.!?;:。！？；]["')\]]?)\s+(?=\S)|(?<=[。！？；])/u;
const COMMA = /(?<=[,，、|])\s*/u;

/** Divides a long line at the ends of its sentences, and long sentences at commas. The pieces are at least 40 characters long. */
export function splitLine(line: string): string[] {
  if (line.length <= CLAUSE_CHARACTERS) return [line];
  return merge(line.split(SENTENCE_END), 90).flatMap((sentence) =>
    sentence.length <= CLAUSE_CHARACTERS ? [sentence] : merge(sentence.split(COMMA), 90).flatMap(splitWords),
  );
}

/** Joins short pieces with their neighbours. */
function merge(pieces: readonly string[], characters: number): string[] {
  const merged: string[] = [];
  for (const piece of pieces) {
    const last = merged.at(-1);
    if (last !== undefined && last.length + piece.length < characters) merged[merged.length - 1] = `${last} ${piece}`;
    else merged.push(piece);
  }
  return merged;
}

function splitWords(piece: string): string[] {
  if (piece.length <= 2 * CLAUSE_CHARACTERS) return [piece];
  const words = piece.split(/\s+/).flatMap(splitLong);
  return merge(words, CLAUSE_CHARACTERS);
}

function splitLong(word: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < word.length; at += 2 * CLAUSE_CHARACTERS)
    parts.push(word.slice(at, at + 2 * CLAUSE_CHARACTERS));
  return parts;
}
