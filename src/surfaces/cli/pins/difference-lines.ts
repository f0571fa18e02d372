import { toolId } from "../../../model/tool.js";
import type { Pin } from "../../../store/pins.js";
import { blocks, bold, type Line, line, quoted, WARNING } from "../lines.js";
import { revealedJson, revealedName } from "../reveal.js";
import type { MemberChange } from "./definition-difference.js";
import { toDifferencePage } from "./pin-page.js";
import { type Piece, textDifference } from "./text-difference.js";

/** What a person has to look at before approving: every difference whole, in quotes, with nothing hidden in it. */
export function differenceLines(pin: Pin): Line[] {
  const { server, tool, state, hash, firstSeen, changed, changes } = toDifferencePage(pin);
  const since = changed === undefined ? `first seen ${firstSeen}` : `first seen ${firstSeen}, changed ${changed}`;
  const what = { same: "is as it was approved", changed: "is not what was approved", new: "was never approved" }[state];
  return blocks([
    [line(0, WARNING, " ", bold(revealedName(toolId(server, tool))), ` ${what} (${since}).`), line(2, `Hash: ${hash}`)],
    ...changes.map((change) => [line(2, bold(revealedName(change.path))), ...changeLines(change)]),
  ]);
}

function changeLines(change: MemberChange): Line[] {
  const { before, after } = change;
  if (typeof before === "string" && typeof after === "string") return pieceLines(textDifference(before, after));
  return [
    ...("before" in change ? valueLines("removed", before) : []),
    ...("after" in change ? valueLines("added", after) : []),
  ];
}

function valueLines(kind: Piece["kind"], value: unknown): Line[] {
  if (typeof value === "string") return pieceLines(textDifference(...ends(kind, value)));
  return revealedJson(value, 2)
    .split("\n")
    .map((text) => pieceLine({ kind, text }));
}

function ends(kind: Piece["kind"], text: string): [string, string] {
  return kind === "removed" ? [text, ""] : ["", text];
}

/** Of what stayed the same, only what stands beside a change. */
function pieceLines(pieces: readonly Piece[]): Line[] {
  const isNear = (index: number): boolean =>
    [index - 1, index, index + 1].some((near) => (pieces[near]?.kind ?? "same") !== "same");
  return pieces.flatMap((piece, index) => {
    if (isNear(index)) return [pieceLine({ ...piece, text: revealedJson(piece.text) })];
    return index === 0 || isNear(index - 1) ? [quoted(4, "  …")] : [];
  });
}

const SIGNS: Record<Piece["kind"], string> = { same: " ", removed: "-", added: "+" };

function pieceLine({ kind, text }: Piece): Line {
  return quoted(4, `${SIGNS[kind]} ${text}`);
}
