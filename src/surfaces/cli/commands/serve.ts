import type { DiscoveryEngine } from "../../../engine.js";
import type { Metrics } from "../../../metrics/metrics.js";
import { resolveLogOptions } from "../../../operations/configuration/log-options.js";
import { createReloadLogger } from "../../../operations/configuration/log-reloads.js";
import { invalidRequest } from "../../../util/invalid-request.js";
import { createLog } from "../../../util/log.js";
import type { HttpOptions } from "../../http/options.js";
import type { Handler, Input } from "../command.js";
import type { CliIo } from "../io.js";
import { useEngine } from "../session.js";

/** Standard output carries MCP messages, so the log goes to standard error. */
export const serve: Handler = async (input, context) => {
  const { stderr, onReload } = context.io;
  const isHttp = input.flag("http");
  if (!isHttp && (input.number("port") ?? input.text("host")) !== undefined)
    throw invalidRequest("--host and --port can only be used with --http.", ADD_HTTP);
  const wanted = { level: input.text("logLevel"), format: input.text("logFormat") };
  const logOptions = resolveLogOptions(wanted, context.io.env);
  const log = createLog({ ...logOptions, now: Date.now, write: (text) => void stderr.write(text) });
  const metrics = isHttp ? (await import("../../../metrics/metrics.js")).createMetrics() : undefined;
  await useEngine(
    { ...context, log, warn: (message) => log(message, { level: "warn" }) },
    async (engine) => {
      const { runtime } = await engine.stages();
      const reload = engine.watch(createReloadLogger(runtime.log));
      onReload?.(() => void reload());
      await (metrics === undefined
        ? serveOverStdio(engine, context.io)
        : serveOverHttp({ engine, input, metrics }, context.io));
    },
    { isBrief: false, observe: { ...(metrics && { metrics }), logsCalls: logOptions.level === "debug" } },
  );
};

const ADD_HTTP = "Add --http, or omit these options to serve an MCP client on standard input and output.";

async function serveOverStdio(
  engine: DiscoveryEngine,
  { stdin, stdout, stderr, isTerminal, signal }: CliIo,
): Promise<void> {
  const { serveMcp } = await import("../../mcp/serve.js");
  const { runtime } = await engine.stages();
  if (isTerminal.stdin === true) stderr.write(FOR_A_TERMINAL);
  await serveMcp({ engine, input: stdin, output: stdout, log: runtime.log }, signal);
}

/** Shown to a user who starts the server in a terminal. */
const FOR_A_TERMINAL = `This is a server for an MCP client: it reads JSON-RPC messages from standard input. Press Ctrl-C to stop it.
  Connect a client:  anygpt mcp import --client NAME   (cursor, claude-desktop, …)
  Or add this to the client's configuration:
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
  const { toMetricSources } = await import("../../../gateway/observing/metric-sources.js");
  const { renderMetrics } = await import("../../../metrics/render-metrics.js");
  const { config } = await engine.stages();
  const readMetrics = async (): Promise<string> => renderMetrics(metrics, toMetricSources(await engine.stages()));
  await serveHttp({ engine, options: withOptions(config.http, input), metrics: readMetrics }, signal);
}

/** Options on the command line override the configuration. */
function withOptions(configured: HttpOptions, input: Input): HttpOptions {
  const { host = configured.host, port = configured.port } = { host: input.text("host"), port: input.number("port") };
  return { ...configured, host, port };
}
