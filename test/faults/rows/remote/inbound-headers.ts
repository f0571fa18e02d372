// Callers send credentials, cookies and their own headers over HTTP: no byte of them reaches a server.
import { type McpCaller, openMcpSession, modern, postMcp } from "../../../support/mcp-http.js";
import { createRandom, type Random } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { inServedScene } from "../../support/served-scene.js";

const ACTORS = ["reader", "writer"] as const;
const HEADERS = [
  "Cookie",
  "Proxy-Authorization",
  "X-Api-Key",
  "X-Auth-Token",
  "X-Forwarded-For",
  "X-Forwarded-Host",
  "X-Forwarded-Authorization",
  "Forwarded",
  "Referer",
  "User-Agent",
  "Idempotency-Key",
  "X-Request-Id",
  "Baggage",
  "Tracestate",
  "X-Custom",
  "From",
  "Via",
  "Mcp-Param-Id",
];
/** The endpoints of the gateway that callers use, and the requested server. */
const SERVERS = ["json", "events", "api"] as const;
const TOOLS = { json: "effect", events: "effect", api: "change" } as const;

/** `count`: the number of calls. */
export async function inboundHeaders({ count, seed, dist }: RowOptions): Promise<RowResult> {
  const random = createRandom(seed);
  const sent: string[] = [];
  const onRequest = ({ bytes }: { readonly bytes: Buffer }): void => void sent.push(bytes.toString("latin1"));
  return await inServedScene({ dist, actors: ACTORS, onRequest }, async (scene) => {
    const violations: string[] = [];
    const canaries: string[] = ACTORS.map((actor) => scene.caller(actor).token);
    const sessions = new Map(
      await Promise.all(ACTORS.map(async (actor) => [actor, await openMcpSession(scene.caller(actor))] as const)),
    );
    let answered = 0;
    for (let number = 0; number < count; number += 1) {
      const actor = random.pick(ACTORS);
      const server = random.pick(SERVERS);
      const headers = toCanaries(random, number);
      canaries.push(...Object.values(headers).map((value) => value.replace(/^\w+=|^Basic /, "")));
      const args = { server, tool: TOOLS[server], arguments: { id: `call-${number}` } };
      const text = await [bySession, byModern, byRest][number % 3]!({
        caller: scene.caller(actor),
        headers,
        args,
        session: sessions.get(actor)!,
      });
      // An invalid request of the caller would prove nothing.
      if (text.includes(`call-${number}`)) answered += 1;
      else violations.push(`call ${number} of ${server}: ${text.slice(0, 200)}`);
    }
    const all = sent.join("\n");
    const hits = canaries.filter((canary) => all.includes(canary));
    violations.push(...hits.map((canary) => `${canary} reached a server`));
    const effects = [...scene.remote.ledger.values()].reduce((sum, done) => sum + done.effects, 0);
    if (effects < count) violations.push(`${effects} of ${count} calls reached the server`);
    return {
      title: "headers of callers",
      n: count,
      injected: canaries.length,
      violations,
      figures: { canaries: canaries.length, hits: hits.length, answered, "requests searched": sent.length },
    };
  });
}

function toCanaries(random: Random, number: number): Record<string, string> {
  const names = random.shuffle(HEADERS).slice(0, random.between(3, HEADERS.length));
  return Object.fromEntries(
    names.map((name) => {
      const canary = `canary${number}x${random.between(1e6, 1e9)}`;
      const value = { Cookie: `sid=${canary}`, "Proxy-Authorization": `Basic ${canary}` }[name] ?? canary;
      return [name, value];
    }),
  );
}

interface Asking {
  readonly caller: McpCaller;
  readonly headers: Record<string, string>;
  readonly args: { server: string; tool: string; arguments: { id: string } };
  readonly session: Awaited<ReturnType<typeof openMcpSession>>;
}

async function bySession({ session, headers, args }: Asking): Promise<string> {
  const params = { name: "execute_tool", arguments: args };
  const { answer } = await session.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, headers);
  return JSON.stringify(answer);
}

async function byModern({ caller, headers, args }: Asking): Promise<string> {
  const request = modern("tools/call", { name: "execute_tool", arguments: args });
  const { answer } = await postMcp(caller, request.body, { ...headers, ...request.headers });
  return JSON.stringify(answer);
}

async function byRest({ caller: { url, token }, headers, args }: Asking): Promise<string> {
  const response = await fetch(`${url}/api/adapters/${args.server}/tools/${args.tool}`, {
    method: "POST",
    headers: { ...headers, authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(args.arguments),
  });
  return await response.text();
}
