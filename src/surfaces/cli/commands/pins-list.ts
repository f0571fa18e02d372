import { toolId } from "../../../model/tool.js";
import { commandLine } from "../../../util/command-line.js";
import type { Handler } from "../command.js";
import { BAD, blocks, bold, count, GOOD, line, type Line, WARNING } from "../lines.js";
import { withPins } from "../pins/desk.js";
import { type PinPage, toPinPage } from "../pins/pin-page.js";
import { revealedName } from "../reveal.js";

export const listPins: Handler = (input, context) =>
  withPins(context, async ({ stages, list }) => {
    const onlyChanged = input.flag("changed");
    const pins = (await list({ server: input.text("server"), onlyChanged })).map(toPinPage);
    const mode = stages.config.policy.pinning;
    if (context.isJson) context.json({ mode, pins });
    else context.show(pinLines(pins, onlyChanged));
    if (mode === "off") {
      context.note([line(0, WARNING, " policy.pinning is off: no definition is remembered or compared.")]);
    }
    return 0;
  });

export function pinLines(pins: readonly PinPage[], onlyChanged: boolean): Line[] {
  if (pins.length === 0) {
    return [line(0, onlyChanged ? "No definition waits for approval." : "No definition has been seen yet.")];
  }
  const waiting = pins.filter(({ state }) => state !== "same");
  const example = waiting[0];
  return blocks([
    [line(0, `Pinned definitions (${count(pins.length, "tool")}, ${waiting.length} not approved):`)],
    pins.map(pinLine),
    example === undefined
      ? []
      : [line(0, `\`${commandLine(["anygpt", "mcp", "pins", "diff", example.server])}\` shows what is different.`)],
  ]);
}

function pinLine({ server, tool, state, firstSeen, changed, approved, approvedBy }: PinPage): Line {
  const id = bold(revealedName(toolId(server, tool)));
  if (state === "changed") return line(0, BAD, " ", id, ` changed ${changed ?? firstSeen}, not approved`);
  if (state === "new") return line(0, BAD, " ", id, ` new ${firstSeen}, not approved`);
  const by = approvedBy === undefined ? `since ${firstSeen}` : `approved ${approved ?? ""} by ${approvedBy}`;
  return line(0, GOOD, " ", id, ` ${by}`);
}
