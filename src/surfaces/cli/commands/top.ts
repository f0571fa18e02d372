import { openAuditReadings, openMetricsReadings } from "../../../operations/top/open-source.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { wantsColor } from "../../../terminal/render.js";
import { showLive } from "../top/live.js";
import { toTopPage } from "../top/page.js";
import { engineOptions, settleTrust } from "../trust-files.js";

const USUAL_INTERVAL_S = 2;

/** Prints the values only once if standard output is not a terminal that supports cursor control. */
export const top: Handler = async (input, context) => {
  const { io, isJson } = context;
  const { source, first } = await context.wait(open(input, context), () => "Reading the metrics…");
  try {
    const intervalMs = (input.number("interval") ?? USUAL_INTERVAL_S) * 1000;
    const color = wantsColor(io, "stdout", input.isOff("color"));
    if (isJson) context.json(first);
    else if (input.flag("once") || !io.isTerminal.stdout || io.env["TERM"] === "dumb") {
      context.show(toTopPage(first, { columns: io.isTerminal.stdout ? io.columns : WIDE, rows: Infinity }));
    } else await showLive({ source, io, intervalMs, color, first });
  } finally {
    await source.close();
  }
};

const WIDE = 200;

async function open(input: Input, context: Context) {
  const [request, options] = [{ url: input.text("url"), tokenFile: input.text("tokenFile") }, engineOptions(context)];
  const gateway = await openMetricsReadings(request, options, context.io.signal);
  if (gateway !== undefined) return gateway;
  await settleTrust(context);
  return await openAuditReadings(options, context.io.signal);
}
