import type { DiscoveryEngine } from "../../../engine.js";
import { DiscoveryError } from "../../../errors.js";
import type { Reload } from "../../../lifecycle.js";
import { describeDifference } from "../../../reload.js";
import type { Metrics } from "../../../metrics/metrics.js";
import { createLog } from "../../../util/log.js";
import type { HttpOptions } from "../../http/options.js";
import type { Handler, Input } from "../command.js";
import type { CliIo } from "../io.js";
import { toLogWish } from "../log-wish.js";
import { useEngine } from "../session.js";

/** Standard output is the protocol's: everything we have to say goes to standard error. */
export const serve: Handler = async (input, context) => {
  const { stderr, onReload } = context.io;
  const isHttp = input.flag("http");
  if (!isHttp && (input.number("port") ?? input.text("host")) !== undefined) throw onlyWithHttp();
  const wish = toLogWish({ level: input.text("logLevel"), format: input.text("logFormat") }, context.io.env);
  const log = createLog({ ...wish, now: Date.now, write: (text) => void stderr.write(text) });
  const metrics = isHttp ? (await import("../../../metrics/metrics.js")).createMetrics() : undefined;
  await useEngine(
    { ...context, log, warn: (message) => log(message, { level: "warn" }) },
    async (engine) => {
      const { place } = await engine.stages();
      const reload = engine.watch(createTeller(place.log));
      onReload?.(() => void reload());
      await (metrics === undefined
        ? serveOverStdio(engine, context.io)
        : serveOverHttp({ engine, input, metrics }, context.io));
    },
    { isBrief: false, observe: { ...(metrics && { metrics }), logsCalls: wish.level === "debug" } },
  );
  return 0;
};

async function serveOverStdio(
  engine: DiscoveryEngine,
  { stdin, stdout, stderr, isTerminal, signal }: CliIo,
): Promise<void> {
  const { serveMcp } = await import("../../mcp/serve.js");
  const { place } = await engine.stages();
  if (isTerminal.stdin === true) stderr.write(FOR_A_TERMINAL);
  await serveMcp({ engine, input: stdin, output: stdout, log: place.log }, signal);
}

/** What a user reads who has started the server by hand. */
const FOR_A_TERMINAL = `This is a server for an MCP client: it reads JSON-RPC messages from standard input. Ctrl-C ends it.
  Connect a client:  anygpt mcp import --client NAME   (cursor, claude-desktop, …)
  Or write to the client's configuration:
    {"mcpServers": {"discovery": {"command": "discovery"}}}
  Use the tools here:  anygpt list, anygpt search "…", anygpt help
`;

interface HttpParts {
  readonly engine: DiscoveryEngine;
  readonly input: Input;
  readonly metrics: Metrics;
}

async function serveOverHttp({ engine, input, metrics }: HttpParts, { signal }: CliIo): Promise<void> {
  const { serveHttp } = await import("../../http/serve-http.js");
  const { toMetricSources } = await import("../../../observing/metric-sources.js");
  const { renderMetrics } = await import("../../../metrics/render-metrics.js");
  const { config } = await engine.stages();
  const tellMetrics = async (): Promise<string> => renderMetrics(metrics, toMetricSources(await engine.stages()));
  await serveHttp({ engine, options: withChosen(config.http, input), metrics: tellMetrics }, signal);
}

/** What is typed counts more than what is configured. */
function withChosen(configured: HttpOptions, input: Input): HttpOptions {
  const { host = configured.host, port = configured.port } = { host: input.text("host"), port: input.number("port") };
  return { ...configured, host, port };
}

function onlyWithHttp(): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", "--host and --port are for --http.", {
    hint: "Add --http, or leave them out to serve an MCP client on standard input and output.",
  });
}

/** A configuration that is wrong changes nothing, and is told of once, however often it is looked at. */
function createTeller(log: (message: string) => void): (reload: Reload) => void {
  let told = "";
  return (reload) => {
    if (reload.kind === "done") {
      told = "";
      log(`The configuration was read again: ${describeDifference(reload.difference)}.`);
    } else if (reload.reason.message !== told) {
      told = reload.reason.message;
      log(`The configuration stays as it was: ${told}`);
    }
  };
}
