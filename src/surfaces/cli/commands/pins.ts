import { toolId } from "../../../model/tool.js";
import { pinsHash, toPinDifference, toPinStatus } from "../../../operations/pins/pin-status.js";
import { assertReviewed, openPins, type PinTable } from "../../../operations/pins/pins.js";
import type { Pin } from "../../../store/pins.js";
import { invalidRequest } from "../../../util/invalid-request.js";
import { commandLine } from "../../../util/command-line.js";
import { canInterrupt, isConfirmed } from "../../../terminal/questions.js";
import type { Input } from "../command.js";
import type { Context } from "../context.js";
import { blocks, bold, count, GOOD, line, type Line } from "../../../terminal/lines.js";
import { differenceLines, pinLines } from "../pin-lines.js";
import { revealedName } from "../../../terminal/reveal.js";
import { engineCommand } from "../session.js";

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
    const hint = `Name a tool or pass --all. \`anygpt mcp pins diff ${server}\` shows what is waiting for approval.`;
    throw invalidRequest("Neither a tool nor --all was passed.", hint);
  }
  const pins = await table.select(server, tool || undefined);
  assertReviewed(pins, input.text("hash"));
  return pins.filter(({ isApproved }) => !isApproved);
}

/** Requires that the user has reviewed the definitions: now in the terminal, or earlier, which the hash proves. */
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
