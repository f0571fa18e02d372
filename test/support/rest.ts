import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DiscoveryConfig, MCPServerConfig } from "../../src/config/discovery-config.js";
import { DiscoveryEngine } from "../../src/engine.js";
import { type HttpOptions, httpOptions } from "../../src/surfaces/http/options.js";
import { type ServeHttpParts, serveHttp } from "../../src/surfaces/http/serve-http.js";
import { testServer } from "./gateway.js";

/** A gateway in this process, served over HTTP on a port chosen by the system. */
export interface Rest {
  readonly engine: DiscoveryEngine;
  readonly folder: string;
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly logged: readonly string[];
  readonly stop: AbortController;
  readonly served: Promise<void>;
  /** With the token, unless the request sets its own. */
  ask(path: string, init?: RequestInit): Promise<RestReply>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<RestReply>;
  /** Sends bytes unchanged, and returns everything received until the gateway disconnects. */
  raw(text: string): Promise<string>;
  close(): Promise<void>;
}

export interface RestReply {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Record<string, unknown>;
}

/** For tests that are not about the login throttle. */
export const PATIENT: Pick<ServeHttpParts, "throttle"> = {
  throttle: { waitMs: () => 0, failed: () => undefined },
};

export async function openRest(
  config: DiscoveryConfig = {},
  chosen: Partial<HttpOptions> = {},
  more: Partial<Omit<ServeHttpParts, "engine" | "options" | "onListening">> = {},
): Promise<Rest> {
  const folder = mkdtempSync(join(tmpdir(), "anygpt-rest-"));
  const logged: string[] = [];
  const env = { HOME: folder, PATH: process.env["PATH"] ?? "" };
  const stateFolder = join(folder, "state");
  const engine = new DiscoveryEngine(config, { cwd: folder, env, stateFolder, log: (text) => logged.push(text) });
  const stop = new AbortController();
  const options = { ...httpOptions.parse({ port: 0 }), ...chosen };
  let served: Promise<void> = Promise.resolve();
  const close = async (): Promise<void> => {
    stop.abort();
    await served.catch(() => undefined);
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  };
  const url = await new Promise<string>((onListening, reject) => {
    served = serveHttp({ ...more, engine, options, onListening }, stop.signal);
    served.catch(reject);
  }).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const port = Number(new URL(url).port);
  const token = readFileSync(join(stateFolder, "http.token"), "utf8").trim();
  const ask = async (path: string, init: RequestInit = {}): Promise<RestReply> => {
    const headers = { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string> | undefined) };
    const response = await fetch(`${url}${path}`, { ...init, headers });
    const text = await response.text();
    const json = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
    return { status: response.status, headers: response.headers, json };
  };
  return {
    engine,
    folder,
    url,
    port,
    token,
    logged,
    stop,
    served,
    ask,
    post: (path, body, headers = {}) =>
      ask(path, {
        method: "POST",
        body: typeof body === "string" ? body : JSON.stringify(body),
        headers: { "content-type": "application/json", ...headers },
      }),
    raw: (text) => sendRaw(port, text),
    close,
  };
}

export function sendRaw(port: number, text: string | Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => void socket.write(text));
    let received = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => (received += chunk));
    socket.on("error", () => undefined).on("close", () => resolve(received));
  });
}

export interface Bank {
  readonly servers: Record<string, MCPServerConfig>;
  /** The effects that really happened. */
  readonly ledger: () => string[];
  remove(): void;
}

/** A server with destructive tools. */
export function createBank(): Bank {
  const folder = mkdtempSync(join(tmpdir(), "anygpt-bank-"));
  const file = join(folder, "ledger.txt");
  return {
    servers: { bank: { ...testServer("ledger.mjs"), env: { LEDGER: file } } },
    ledger: () => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
