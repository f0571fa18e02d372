import type { Handler } from "../command.js";
import { blocks, line, type Line } from "../lines.js";
import { withPins } from "../pins/desk.js";
import { differenceLines } from "../pins/difference-lines.js";
import { hashOf, toDifferencePage } from "../pins/pin-page.js";
import type { Pin } from "../../../store/pins.js";
import { commandLine } from "../../../util/command-line.js";

export const diffPins: Handler = (input, context) =>
  withPins(context, async ({ list, find }) => {
    const server = input.argument("server");
    const tool = input.argument("tool");
    const pins = tool === "" ? await list({ server, onlyChanged: true }) : [await find(server, tool)];
    const waiting = pins.filter(({ isApproved }) => !isApproved);
    if (context.isJson) {
      const hash = waiting.length === 0 ? {} : { hash: hashOf(waiting) };
      context.json({ server, ...hash, tools: pins.map(toDifferencePage) });
    } else if (waiting.length === 0) {
      context.show([line(0, `What ${server} says${tool === "" ? "" : ` of ${tool}`} is what was approved.`)]);
    } else context.show(diffLines(waiting, tool === "" ? [server] : [server, tool]));
    return 0;
  });

function diffLines(pins: readonly Pin[], words: readonly string[]): Line[] {
  const all = words.length === 1 ? ["--all"] : [];
  const command = commandLine(["anygpt", "mcp", "pins", "approve", ...words, ...all]);
  return blocks([
    ...pins.map(differenceLines),
    [
      line(0, `To approve it: \`${command}\``),
      line(0, `Without a terminal: \`${command} --yes --hash ${hashOf(pins)}\``),
    ],
  ]);
}
