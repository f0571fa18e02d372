import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "../../src/model/json.js";
import type { ServerConnection } from "../../src/model/server.js";
import { upstreamOptions } from "../../src/upstreams/options.js";
import { createUpstreams } from "../../src/upstreams/pool.js";
import type { UpstreamCall, Upstreams, UpstreamsParts, UpstreamTarget } from "../../src/upstreams/types.js";
import { type GivenUpstreamCall, toUpstreamCall } from "./calls.js";

/** The path of one of the servers under `test/servers`. */
export function serverFile(name: string): string {
  return fileURLToPath(new URL(`../servers/${name}`, import.meta.url));
}

/** One of the servers under `test/servers`, marked as legacy unless the test sets the era: nothing is probed. */
export function stdioTarget(
  name: string,
  args: readonly string[],
  extra: Partial<UpstreamTarget> = {},
): UpstreamTarget {
  const [file = "", ...rest] = args;
  const connection: ServerConnection = {
    kind: "stdio",
    command: process.execPath,
    args: [serverFile(file), ...rest],
    env: {},
  };
  return { name, connection: () => connection, eraHint: "legacy", ...extra };
}

/** The machine that runs the tests may use a network proxy or custom certificate authorities. */
function withoutNetwork(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/_PROXY$|^SSL_CERT_|^NODE_EXTRA_CA/i.test(name)));
}

export interface OpenUpstreams extends Upstreams {
  readonly logged: string[];
  /** The states that the server went through. */
  readonly states: string[];
}

export function openUpstreams(
  options: Partial<UpstreamsParts["options"]> = {},
  parts: Partial<UpstreamsParts> = {},
): OpenUpstreams {
  const logged: string[] = [];
  const states: string[] = [];
  const upstreams = createUpstreams({
    options: upstreamOptions.parse(options),
    env: withoutNetwork(process.env),
    installsFolder: join(tmpdir(), `anygpt-installs-${process.pid}`),
    now: Date.now,
    random: () => 0.5,
    log: (message) => logged.push(message),
    onStateChange: (server) => states.push(upstreams.state(server).kind),
    ...parts,
  });
  return { ...upstreams, logged, states };
}

export function toCall(tool: string, args: JsonObject = {}, extra: GivenUpstreamCall = {}): UpstreamCall {
  return toUpstreamCall({ tool, arguments: args, ...extra });
}

/** The text of the first block of content. */
export function textOf(result: { readonly content: readonly JsonObject[] }): string {
  return String(result.content[0]?.["text"]);
}

export interface HttpServer {
  readonly origin: string;
  stop(): Promise<void>;
}

/** Starts one of the HTTP servers under `test/servers`, which print the port chosen by the system. */
export async function startHttpServer(name: string, ...args: string[]): Promise<HttpServer> {
  const child = spawn(process.execPath, [serverFile(name), ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return {
    origin: `http://127.0.0.1:${port}`,
    async stop() {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** The number of running calls at the server. */
export function inFlight(upstreams: Upstreams, server: string): number {
  const state = upstreams.state(server);
  return state.kind === "open" ? state.inFlight : 0;
}

export const echo = stdioTarget("echo", ["echo.mjs"]);
export const faulty = (...args: string[]): UpstreamTarget => stdioTarget("faulty", ["faulty.mjs", ...args]);

const watched: OpenUpstreams[] = [];

/** Upstreams that `closeAll` closes after the test. */
export function openWatched(...args: Parameters<typeof openUpstreams>): OpenUpstreams {
  const upstreams = openUpstreams(...args);
  watched.push(upstreams);
  return upstreams;
}

export async function closeAll(): Promise<void> {
  await Promise.all(watched.splice(0).map((upstreams) => upstreams.close()));
}

export async function pidOf(upstreams: Upstreams, target = echo): Promise<number> {
  return Number(textOf(await upstreams.call(target, toCall("pid"))));
}
