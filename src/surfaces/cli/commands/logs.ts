import { DiscoveryError } from "../../../errors.js";
import { followLines, type LogLine, readLastLines } from "../../../operations/logs/server-log.js";
import { nearestNames } from "../../../search/nearest.js";
import { switchedOffEntries } from "../../../sources/switched-off.js";
import type { Stages } from "../../../gateway/stages.js";
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
    await followLines(file, most, (lines) => showAdded(server, lines, context), context.io.signal);
    return 0;
  }
  const lines = await readLastLines(file, most);
  if (context.isJson) context.json({ server, file, lines });
  else if (lines.length === 0) context.aside(whyNothing(server, stages));
  else context.show(lines.map(logLine));
  return 0;
});

function showAdded(server: string, lines: readonly LogLine[], context: Context): void {
  if (context.isJson) for (const one of lines) context.jsonLine({ server, ...one });
  else context.show(lines.map(logLine));
}

function logLine({ at, text }: LogLine): Line {
  return { indent: 0, parts: [dim(at), ` ${text}`], verbatim: true };
}

function assertHasLog(server: string, { configuredServers, config }: Stages): void {
  // The log of a disabled server may still exist.
  if (switchedOffEntries(config.servers).some(({ name }) => name === server)) return;
  const definition = configuredServers.servers.find(({ name }) => name === server);
  if (definition?.connection.kind === "stdio") return;
  if (definition !== undefined) {
    throw new DiscoveryError("INVALID_REQUEST", `${server} has no log, because it is a remote server.`, {
      hint: {
        action: "run-command",
        command: `anygpt mcp doctor ${server}`,
        purpose: "check the connection",
      },
    });
  }
  const [near] = nearestNames(
    server,
    configuredServers.servers.map(({ name }) => name),
  );
  throw new DiscoveryError("SERVER_NOT_FOUND", `No server is named ${JSON.stringify(server)}.`, {
    hint: near === undefined ? { action: "list-servers" } : `Did you mean ${near}?`,
  });
}

function whyNothing(server: string, { config }: Stages): Line[] {
  if (switchedOffEntries(config.servers).some(({ name }) => name === server)) {
    return [line(0, `${server} is disabled and has no log. Enable it with \`anygpt mcp enable ${server}\`.`)];
  }
  const why = config.upstreams.keepLogs
    ? `${server} has written nothing to standard error yet.`
    : "Server logs are disabled. Set upstreams.keepLogs to true to write them.";
  return [line(0, why)];
}
