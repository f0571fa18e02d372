import { assertHasLog, whyNoLines } from "../../../operations/logs/assert-has-log.js";
import { followLines, type LogLine, readLastLines } from "../../../operations/logs/server-log.js";
import { logFolder, stderrLogFile } from "../../../upstreams/process/stderr-log.js";
import type { Context } from "../context.js";
import { dim, line, type Line } from "../../../terminal/lines.js";
import { engineCommand } from "../session.js";

const LINES = 50;

export const logs = engineCommand(async (engine, input, context) => {
  const stages = await engine.stages();
  const server = input.argument("server");
  assertHasLog(server, stages);
  const file = stderrLogFile(logFolder(stages.runtime.stateFolder), server);
  const most = input.number("lines") ?? LINES;
  if (input.flag("follow")) {
    context.aside([line(0, dim(`Following ${file}. Press Ctrl-C to stop.`))]);
    return await followLines(file, most, (lines) => showAdded(server, lines, context), context.io.signal);
  }
  const lines = await readLastLines(file, most);
  if (context.isJson) context.json({ server, file, lines });
  else if (lines.length === 0) context.aside([whyNoLines(server, stages)]);
  else context.show(lines.map(logLine));
});

function showAdded(server: string, lines: readonly LogLine[], context: Context): void {
  if (context.isJson) for (const one of lines) context.jsonLine({ server, ...one });
  else context.show(lines.map(logLine));
}

function logLine({ at, text }: LogLine): Line {
  return { indent: 0, parts: [dim(at), ` ${text}`], verbatim: true };
}
