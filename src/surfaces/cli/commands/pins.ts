import { toolId } from "../../../model/tool.js";
import { pinsHash, type PinStatus, toPinDifference, toPinStatus } from "../../../operations/pins/pin-status.js";
import { assertReviewed, openPins, type PinTable } from "../../../operations/pins/pins.js";
import type { Pin } from "../../../store/pins.js";
import { invalidRequest } from "../../../util/invalid-request.js";
import { commandLine } from "../../../util/command-line.js";
import { canInterrupt, isConfirmed } from "../../../terminal/questions.js";
import type { Input } from "../command.js";
import type { Context } from "../context.js";
import { BAD, blocks, bold, count, GOOD, line, type Line, quoted, WARNING } from "../../../terminal/lines.js";
import { revealedJson, revealedName } from "../../../terminal/reveal.js";
import { engineCommand } from "../session.js";
import { textDifference, type TextPiece } from "../../../util/text-difference.js";
import type { MemberChange } from "../../../operations/pins/definition-difference.js";

export const listPins = engineCommand(async (engine, input, context) => {
  const onlyChanged = input.flag("changed");
  const table = await openPins(engine);
  const pins = (await table.list({ server: input.text("server"), onlyChanged })).map(toPinStatus);
  const mode = (await engine.stages()).config.policy.pinning;
  context.reply({ mode, pins }, () => pinLines(pins, onlyChanged));
  if (mode === "off") context.warn("policy.pinning is off, so tool definitions are neither recorded nor compared.");
});

export const diffPins = engineCommand(async (engine, input, context) => {
  const [server, tool] = [input.argument("server"), input.argument("tool")];
  const pins = await (await openPins(engine)).select(server, tool || undefined);
  const waiting = pins.filter(({ isApproved }) => !isApproved);
  const hash = waiting.length === 0 ? {} : { hash: pinsHash(waiting) };
  context.reply({ server, ...hash, tools: pins.map(toPinDifference) }, () => {
    if (waiting.length > 0) return diffLines(waiting, tool === "" ? [server, "--all"] : [server, tool]);
    if (tool === "") return [`All tool definitions of ${server} are approved.`];
    return [`The definition of ${toolId(server, tool)} is approved.`];
  });
});

function diffLines(pins: readonly Pin[], words: readonly string[]): Line[] {
  const command = commandLine(["anygpt", "mcp", "pins", "approve", ...words]);
  return blocks([
    ...pins.map(differenceLines),
    [`To approve this: \`${command}\``, `Without a terminal: \`${command} --yes --hash ${pinsHash(pins)}\``],
  ]);
}

export const approvePins = engineCommand(async (engine, input, context) => {
  const table = await openPins(engine);
  const pins = await chooseWaiting(input, table);
  if (pins.length > 0 && !(await isAgreed(pins, input, context))) return 1;
  await table.approve(pins);
  const approved = pins.map(({ server, tool, current }) => ({ server, tool, hash: current.hash }));
  context.reply({ approved }, () => {
    if (pins.length === 0) return ["No tool definition is waiting for approval."];
    const ids = pins.map(({ server, tool }) => bold(revealedName(toolId(server, tool))));
    return [
      ...ids.map((id) => line(0, GOOD, " ", id, " is approved.")),
      "Running gateways apply the change within two seconds.",
    ];
  });
  return 0;
});

async function chooseWaiting(input: Input, table: PinTable): Promise<readonly Pin[]> {
  const [server, tool] = [input.argument("server"), input.argument("tool")];
  if ((tool === "") !== input.flag("all")) {
    const hint = `Pass the name of a tool, or --all for all tools of the server. \`anygpt mcp pins diff ${server}\` shows what is waiting for approval.`;
    throw invalidRequest("Either a tool or --all is required, but not both.", hint);
  }
  const pins = await table.select(server, tool || undefined);
  assertReviewed(pins, input.text("hash"));
  return pins.filter(({ isApproved }) => !isApproved);
}

/**
 * Whether the user approves the definitions: after a review in the terminal now, or earlier if `--hash` proves the
 * review.
 */
async function isAgreed(pins: readonly Pin[], input: Input, context: Context): Promise<boolean> {
  const isProven = input.text("hash") !== undefined;
  if (input.flag("yes") && isProven) return true;
  if (!canInterrupt(context) || input.flag("yes")) {
    throw invalidRequest(
      "Tool definitions can be approved only after a review.",
      "Run this in a terminal without --yes, or pass --yes with the --hash that `anygpt mcp pins diff` shows.",
    );
  }
  context.note(blocks(pins.map(differenceLines)));
  return await isConfirmed(`Approve ${count(pins.length, "definition")}?`, context);
}

/** The differences that a user reviews before approving: complete, quoted, with invisible characters escaped. */
function differenceLines(pin: Pin): Line[] {
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

function pinLines(pins: readonly PinStatus[], onlyChanged: boolean): Line[] {
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
