import { toolId } from "../../model/tool.js";
import type { Pin } from "../../store/pins.js";
import { type TextPiece, textDifference } from "../../util/text-difference.js";
import { BAD, blocks, bold, count, GOOD, type Line, line, quoted, WARNING } from "../../terminal/lines.js";
import { revealedJson, revealedName } from "../../terminal/reveal.js";
import type { MemberChange } from "../../operations/pins/definition-difference.js";
import { type PinStatus, toPinDifference } from "../../operations/pins/pin-status.js";
import { commandLine } from "../../util/command-line.js";

/** The differences that a user reviews before approving: complete, quoted, with invisible characters escaped. */
export function differenceLines(pin: Pin): Line[] {
  const { server, tool, state, hash, firstSeen, changed, changes } = toPinDifference(pin);
  const since = changed === undefined ? `first seen ${firstSeen}` : `first seen ${firstSeen}, changed ${changed}`;
  const what = {
    same: "matches the approved definition",
    changed: "differs from the approved definition",
    new: "has not been approved yet",
  }[state];
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

function valueLines(kind: TextPiece["kind"], value: unknown): Line[] {
  if (typeof value === "string") return pieceLines(textDifference(...ends(kind, value)));
  return revealedJson(value, 2)
    .split("\n")
    .map((text) => pieceLine({ kind, text }));
}

function ends(kind: TextPiece["kind"], text: string): [string, string] {
  return kind === "removed" ? [text, ""] : ["", text];
}

/** Changed pieces with one unchanged piece of context before and after; other unchanged text becomes an ellipsis. */
function pieceLines(pieces: readonly TextPiece[]): Line[] {
  const isNear = (index: number): boolean =>
    [index - 1, index, index + 1].some((near) => (pieces[near]?.kind ?? "same") !== "same");
  return pieces.flatMap((piece, index) => {
    if (isNear(index)) return [pieceLine({ ...piece, text: revealedJson(piece.text) })];
    return index === 0 || isNear(index - 1) ? [quoted(4, "  …")] : [];
  });
}

const SIGNS: Record<TextPiece["kind"], string> = { same: " ", removed: "-", added: "+" };

function pieceLine({ kind, text }: TextPiece): Line {
  return quoted(4, `${SIGNS[kind]} ${text}`);
}

export function pinLines(pins: readonly PinStatus[], onlyChanged: boolean): Line[] {
  if (pins.length === 0) {
    return [
      line(
        0,
        onlyChanged ? "No tool definition is waiting for approval." : "No tool definition has been recorded yet.",
      ),
    ];
  }
  const waiting = pins.filter(({ state }) => state !== "same");
  const example = waiting[0];
  return blocks([
    [`Pinned tool definitions (${count(pins.length, "tool")}, ${waiting.length} not approved):`],
    pins.map(pinLine),
    example === undefined
      ? []
      : [`\`${commandLine(["anygpt", "mcp", "pins", "diff", example.server])}\` shows the differences.`],
  ]);
}

function pinLine({ server, tool, state, firstSeen, changed, approved, approvedBy }: PinStatus): Line {
  const id = bold(revealedName(toolId(server, tool)));
  if (state === "changed") return line(0, BAD, " ", id, ` changed ${changed ?? firstSeen}, not approved`);
  if (state === "new") return line(0, BAD, " ", id, ` new ${firstSeen}, not approved`);
  const by = approvedBy === undefined ? `since ${firstSeen}` : `approved ${approved ?? ""} by ${approvedBy}`;
  return line(0, GOOD, " ", id, ` ${by}`);
}
