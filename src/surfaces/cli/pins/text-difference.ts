/** Two texts as pieces: what both have, what only the old one has, what only the new one has. */
export interface Piece {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Beyond this many comparisons what differs is shown as one block. */
const MOST_COMPARISONS = 1_000_000;

/** Lines and sentences, with the white space that follows them: put together again they are the texts. */
export function textDifference(before: string, after: string): Piece[] {
  const [old, now] = [toPieces(before), toPieces(after)];
  let head = 0;
  while (head < Math.min(old.length, now.length) && old[head] === now[head]) head += 1;
  let tail = 0;
  const most = Math.min(old.length, now.length) - head;
  while (tail < most && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  return [
    ...marked("same", old.slice(0, head)),
    ...middle(old.slice(head, old.length - tail), now.slice(head, now.length - tail)),
    ...marked("same", old.slice(old.length - tail)),
  ];
}

function toPieces(text: string): string[] {
  return text === "" ? [] : text.split(/(?<=[.!?]\s|\n)/u);
}

function marked(kind: Piece["kind"], texts: readonly string[]): Piece[] {
  return texts.map((text) => ({ kind, text }));
}

/** By the longest common subsequence. */
function middle(old: readonly string[], now: readonly string[]): Piece[] {
  if (old.length * now.length > MOST_COMPARISONS) return [...marked("removed", old), ...marked("added", now)];
  const common = lengthsOfCommon(old, now);
  const pieces: Piece[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) {
      pieces.push(...marked("same", old.slice(i, i + 1)));
      i += 1;
      j += 1;
    } else if ((common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0)) {
      pieces.push(...marked("removed", old.slice(i, i + 1)));
      i += 1;
    } else {
      pieces.push(...marked("added", now.slice(j, j + 1)));
      j += 1;
    }
  }
  return [...pieces, ...marked("removed", old.slice(i)), ...marked("added", now.slice(j))];
}

/** How many pieces the rests from each place on have in common. */
function lengthsOfCommon(old: readonly string[], now: readonly string[]): readonly Uint32Array[] {
  const table = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    const [row, below] = [table[i], table[i + 1]];
    if (row === undefined || below === undefined) continue;
    for (let j = now.length - 1; j >= 0; j -= 1) {
      row[j] = old[i] === now[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return table;
}
