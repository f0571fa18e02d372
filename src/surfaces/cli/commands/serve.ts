import type { DiscoveryEngine } from "../../../engine.js";
import { DiscoveryError } from "../../../errors.js";
import type { Reload } from "../../../lifecycle.js";
import { describeDifference } from "../../../reload.js";
import { sanitize } from "../../../util/terminal.js";
import type { HttpOptions } from "../../http/options.js";
import type { Handler, Input } from "../command.js";
import type { CliIo } from "../io.js";
import { useEngine } from "../session.js";

/** Standard output is the protocol's: everything we have to say goes to standard error. */
export const serve: Handler = async (input, context) => {
  const { stderr, onReload } = context.io;
  const isHttp = input.flag("http");
  if (!isHttp && (input.number("port") ?? input.text("host")) !== undefined) throw onlyWithHttp();
  const log = (message: string): void => void stderr.write(`${sanitize(message)}\n`);
  await useEngine(
    { ...context, log, warn: log },
    async (engine) => {
      const { place } = await engine.stages();
      const reload = engine.watch(createTeller(place.log));
      onReload?.(() => void reload());
      await (isHttp ? serveOverHttp(engine, input, context.io) : serveOverStdio(engine, context.io));
    },
    { isBrief: false },
  );
  return 0;
};

async function serveOverStdio(engine: DiscoveryEngine, { stdin, stdout, signal }: CliIo): Promise<void> {
  const { serveMcp } = await import("../../mcp/serve.js");
  const { place } = await engine.stages();
  await serveMcp({ engine, input: stdin, output: stdout, log: place.log }, signal);
}

async function serveOverHttp(engine: DiscoveryEngine, input: Input, { signal }: CliIo): Promise<void> {
  const { serveHttp } = await import("../../http/serve-http.js");
  const { config } = await engine.stages();
  await serveHttp({ engine, options: withChosen(config.http, input) }, signal);
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
