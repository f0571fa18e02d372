/** A part of a type expression with its operator precedence. A part that binds too loosely is put in parentheses. */
export interface TypePiece {
  readonly text: string;
  readonly binding: Binding;
}

export const TIGHT = 0;
export const BOUNDED = 1;
export const INTERSECTION = 2;
export const UNION = 3;
export const LOOSE = 4;

export type Binding = 0 | 1 | 2 | 3 | 4;

export function word(text: string): TypePiece {
  return { text, binding: TIGHT };
}

export const ANY = word("any");
export const NULL = word("null");

export function within({ text, binding }: TypePiece, loosest: Binding): string {
  return binding > loosest ? `(${text})` : text;
}

/** Appends text to a part of a type expression. */
export function append(piece: TypePiece, more: string, binding: Binding): TypePiece {
  if (more === "") return piece;
  // Use parentheses if the text already has a default or mark: a second one would look like a part of the first.
  const text = binding === LOOSE ? within(piece, UNION) : piece.text;
  return { text: `${text}${more}`, binding: piece.binding > binding ? piece.binding : binding };
}

export function unite(pieces: readonly TypePiece[]): TypePiece {
  const [first = word("never"), ...more] = pieces;
  if (more.every(({ text }) => text === first.text)) return first;
  return { text: [...new Set(pieces.map((piece) => within(piece, UNION)))].join("|"), binding: UNION };
}

export function intersect(pieces: readonly TypePiece[]): TypePiece {
  const stated = pieces.filter(({ text }) => text !== ANY.text);
  const [first = ANY, ...more] = stated;
  if (more.length === 0) return first;
  return { text: stated.map((piece) => within(piece, INTERSECTION)).join(" & "), binding: INTERSECTION };
}
