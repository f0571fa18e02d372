import type { Handler } from "../command.js";
import { wantsColor } from "../render.js";
import { showLive } from "../top/live.js";
import { openSource } from "../top/open-source.js";
import { toPage } from "../top/page.js";

const USUAL_INTERVAL_S = 2;

/** Whoever has no terminal, or one that cannot be drawn on, gets what is so now. */
export const top: Handler = async (input, context) => {
  const { io, isJson } = context;
  const wanted = { url: input.text("url"), tokenFile: input.text("tokenFile") };
  const { source, first } = await context.wait(openSource(wanted, context), () => "Asking for the numbers…");
  try {
    const intervalMs = (input.number("interval") ?? USUAL_INTERVAL_S) * 1000;
    const color = wantsColor(io, "stdout", input.isOff("color"));
    if (isJson) context.json(first);
    else if (input.flag("once") || !io.isTerminal.stdout || io.env["TERM"] === "dumb") {
      context.show(toPage(first, { columns: io.isTerminal.stdout ? io.columns : WIDE, rows: Infinity }));
    } else await showLive({ source, io, intervalMs, color, first });
  } finally {
    await source.close();
  }
  return 0;
};

const WIDE = 200;
