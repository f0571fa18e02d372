import { Agent, type IncomingHttpHeaders, request as sendRequest } from "node:http";
import { text as readText } from "node:stream/consumers";
import { modern } from "../../support/mcp-http.js";
import { withDeadline } from "./deadline.js";
import { type Execution, type Json, type Outcome, toOutcome } from "./gateway.js";
import type { FaultHome } from "./home.js";
import { openServedGateway, type ServedOptions, tokenEntry, tokenOf } from "./served-gateway.js";

const CALL_LIMIT_MS = 120_000;
const MAX_SOCKETS = 600;
/** Less than the gateway's keep-alive timeout. */
const IDLE_SOCKET_MS = 1000;

/** The built gateway over HTTP. */
export interface LoadGateway {
  readonly pid: number;
  readonly url: string;
  /** A stateless call (revision 2026-07-28). */
  execute(execution: Execution, actor?: string): Promise<Outcome>;
  /** Any of the built-in tools. */
  callTool(name: string, args: Json, actor?: string): Promise<Outcome>;
  /** A request to a path, with the token of the actor. */
  post(path: string, body: unknown, more?: { actor?: string; headers?: Record<string, string> }): Promise<HttpReply>;
  /** A DELETE, which closes a session. */
  end(path: string, headers: Record<string, string>): Promise<HttpReply>;
  signal(name: NodeJS.Signals): void;
  close(): Promise<void>;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The default actor. */
export const ACTOR = "actor-0";

/** As in the configuration, each with the token of `tokenOf`. */
export function toTokens(actors: readonly string[] = [ACTOR]): object[] {
  return actors.map((name) => tokenEntry(name, { scopes: ["*"] }));
}

/** The home folder's configuration must set `http.tokens`. */
export async function openLoadGateway(home: FaultHome, options: ServedOptions): Promise<LoadGateway> {
  const gateway = await openServedGateway(home, options);
  const { url, pid } = gateway;
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS, timeout: IDLE_SOCKET_MS });
  const send = (path: string, given: Omit<Sent, "url">): Promise<HttpReply> =>
    withDeadline(sendWith(agent, { ...given, url: `${url}${path}` }), CALL_LIMIT_MS, path);
  const post: LoadGateway["post"] = (path, body, { actor = ACTOR, headers = {} } = {}) =>
    send(path, { method: "POST", body, headers: { ...toHeaders(actor), ...headers } });
  const callTool: LoadGateway["callTool"] = async (name, args, actor = ACTOR) => {
    const { _meta: meta, ...given } = args;
    const params = { name, arguments: given, ...(meta === undefined ? {} : { _meta: meta }) };
    const { body, headers } = modern("tools/call", params);
    return readOutcome(await post("/mcp", body, { actor, headers }));
  };
  return {
    pid,
    url,
    post,
    callTool,
    execute: ({ meta, ...execution }, actor) =>
      callTool("execute_tool", { ...execution, ...(meta === undefined ? {} : { _meta: meta }) }, actor),
    end: (path, headers) => send(path, { method: "DELETE", headers: { ...toHeaders(ACTOR), ...headers } }),
    signal: gateway.signal,
    async close() {
      agent.destroy();
      await gateway.stop();
    },
  };
}

const toHeaders = (actor: string): Record<string, string> => ({
  authorization: `Bearer ${tokenOf(actor)}`,
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
});

interface Sent {
  readonly url: string;
  readonly method: "POST" | "DELETE";
  readonly body?: unknown;
  readonly headers: Record<string, string>;
}

function sendWith(agent: Agent, { url, method, body, headers }: Sent): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const sent = sendRequest(url, { method, agent, headers }, (response) => {
      readText(response).then(
        (text) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        reject,
      );
    });
    sent.on("error", (error: NodeJS.ErrnoException) => {
      // The gateway may close an idle connection while it is reused: nothing was read from it.
      if (sent.reusedSocket && error.code === "ECONNRESET") resolve(sendWith(agent, { url, method, body, headers }));
      else reject(error);
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** A stream has one answer, possibly after notifications. */
function readOutcome({ status, text }: HttpReply): Outcome {
  const messages = text.startsWith("{")
    ? [JSON.parse(text) as Json]
    : text
        .split("\n")
        .filter((line) => line.startsWith("data: "))
        .map((line) => JSON.parse(line.slice("data: ".length)) as Json);
  const answer = messages.find(({ method }) => method === undefined);
  return answer === undefined ? { kind: "refused", code: status, message: text } : toOutcome(withoutEra(answer));
}

/** Members that the stateless revision adds to every result do not come from the server. */
function withoutEra({ result, ...rest }: Json): Json {
  if (result === undefined) return rest;
  const { resultType: _type, _meta: meta = {}, ...members } = result as Json;
  const { "io.modelcontextprotocol/serverInfo": _info, ...others } = meta as Json;
  return { ...rest, result: { ...members, ...(Object.keys(others).length > 0 ? { _meta: others } : {}) } };
}
