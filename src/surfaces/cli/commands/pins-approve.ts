import { DiscoveryError } from "../../../errors.js";
import { localActor } from "../../../model/actor.js";
import { toolId } from "../../../model/tool.js";
import { reloadFile } from "../../../place.js";
import type { Pin } from "../../../store/pins.js";
import { writePrivateFile } from "../../../util/private-files.js";
import { ask, canInterrupt } from "../ask.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { blocks, bold, count, GOOD, line } from "../lines.js";
import { type PinDesk, withPins } from "../pins/desk.js";
import { differenceLines } from "../pins/difference-lines.js";
import { hashOf } from "../pins/pin-page.js";
import { revealedName } from "../reveal.js";

export const approvePins: Handler = (input, context) =>
  withPins(context, async (desk) => {
    const pins = await choose(input, desk);
    if (pins.length > 0 && !(await isAgreed(pins, input, context))) return 1;
    for (const pin of pins) await approve(pin, desk);
    if (pins.length > 0) await tellGateways(desk);
    const approved = pins.map(({ server, tool, current }) => ({ server, tool, hash: current.hash }));
    if (context.isJson) context.json({ approved });
    else if (pins.length === 0) context.show([line(0, "Nothing waits for approval there.")]);
    else {
      context.show([
        ...pins.map(({ server, tool }) =>
          line(0, GOOD, " ", bold(revealedName(toolId(server, tool))), " is approved as it is."),
        ),
        line(0, "Running gateways have been told, and follow within two seconds."),
      ]);
    }
    return 0;
  });

/** What waits for approval of what was named. */
async function choose(input: Input, { list, find }: PinDesk): Promise<readonly Pin[]> {
  const server = input.argument("server");
  const tool = input.argument("tool");
  if ((tool === "") !== input.flag("all")) {
    throw new DiscoveryError("INVALID_REQUEST", "Either one tool or --all has to be named.", {
      hint: `\`anygpt mcp pins diff ${server}\` shows what waits for approval.`,
    });
  }
  const pins = tool === "" ? await list({ server, onlyChanged: true }) : [await find(server, tool)];
  assertLookedAt(pins, input.text("hash"));
  return pins.filter(({ isApproved }) => !isApproved);
}

function assertLookedAt(pins: readonly Pin[], hash: string | undefined): void {
  if (hash !== undefined && hash !== hashOf(pins)) throw changedSince();
}

/** Whoever approves has looked: here and now, or before, which the hash proves. */
async function isAgreed(pins: readonly Pin[], input: Input, context: Context): Promise<boolean> {
  const isProven = input.text("hash") !== undefined;
  if (input.flag("yes") && isProven) return true;
  if (!canInterrupt(context) || input.flag("yes")) {
    throw new DiscoveryError("INVALID_REQUEST", "Only what somebody has looked at can be approved.", {
      hint: "Run this at a terminal without --yes, or give --yes with the --hash that `anygpt mcp pins diff` shows.",
    });
  }
  context.note(blocks(pins.map(differenceLines)));
  return (await ask(`Approve ${count(pins.length, "definition")}?`, context)) === "yes";
}

/** On record before it counts; and only if it is still what was looked at. */
async function approve(pin: Pin, { stages }: PinDesk): Promise<void> {
  const { books, place } = stages;
  const { id: by, surface } = localActor("cli");
  const { server, tool, current } = pin;
  const tool_id = toolId(server, tool);
  await books.note({ action: "approve_pin", subject: `${tool_id} ${current.hash}`, by, tool_id, surface });
  const approved = await books.store.pins.approve(pin, { hash: current.hash, by, now: place.now() });
  if (approved === undefined) throw changedSince();
}

function changedSince(): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", "The server says something else by now than what was looked at.", {
    hint: "Look at it again with `anygpt mcp pins diff`.",
  });
}

async function tellGateways({ stages }: PinDesk): Promise<void> {
  const { stateFolder, now } = stages.place;
  await writePrivateFile(reloadFile(stateFolder), `${now()}\n`);
}
