/** Part of a type expression, and how tightly it binds: what is looser than its surroundings allow goes into brackets. */
export interface Piece {
  readonly text: string;
  readonly binding: Binding;
}

export const TIGHT = 0;
export const BOUNDED = 1;
export const INTERSECTION = 2;
export const UNION = 3;
export const LOOSE = 4;

export type Binding = 0 | 1 | 2 | 3 | 4;

export function word(text: string): Piece {
  return { text, binding: TIGHT };
}

export const ANY = word("any");
export const NULL = word("null");

export function within({ text, binding }: Piece, loosest: Binding): string {
  return binding > loosest ? `(${text})` : text;
}

/** The piece with more behind it. */
export function append(piece: Piece, more: string, binding: Binding): Piece {
  if (more === "") return piece;
  // A second default or mark would be read as part of the first.
  const text = binding === LOOSE ? within(piece, UNION) : piece.text;
  return { text: `${text}${more}`, binding: piece.binding > binding ? piece.binding : binding };
}

export function unite(pieces: readonly Piece[]): Piece {
  const [first = word("never"), ...more] = pieces;
  if (more.every(({ text }) => text === first.text)) return first;
  return { text: [...new Set(pieces.map((piece) => within(piece, UNION)))].join("|"), binding: UNION };
}

export function intersect(pieces: readonly Piece[]): Piece {
  const said = pieces.filter(({ text }) => text !== ANY.text);
  const [first = ANY, ...more] = said;
  if (more.length === 0) return first;
  return { text: said.map((piece) => within(piece, INTERSECTION)).join(" & "), binding: INTERSECTION };
}
