// JSON-RPC batches, responses without a request, and requests that only servers may send: rejected, and nothing is
// executed.
import { modern, openMcpSession, postMcp } from "../../../support/mcp-http.js";
import { withDeadline } from "../../support/deadline.js";
import { inHome } from "../../support/home.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { openServedGateway, tokenEntry, tokenOf } from "../../support/served-gateway.js";
import { openStdioWire, type StdioWire, type Reported, toLine } from "../../support/stdio-wire.js";

const LIMIT_MS = 60_000;
const OTHER_REVISIONS = ["2024-11-05", "2025-06-18", "2025-11-25"];

const call = (marker: string, id: number | string = 1): object => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "execute_tool", arguments: { server: "one", tool: "effect", arguments: { id: marker } } },
});

/** Messages that no client may send, with the effect that they would have as a call. */
function shapes(marker: string): readonly (readonly [what: string, message: unknown])[] {
  const one = call(marker);
  const params = { name: "execute_tool", arguments: { server: "one", tool: "effect", arguments: { id: marker } } };
  const batches: [string, unknown][] = [
    ["a batch of one call", [one]],
    ["a batch of three calls", [one, call(marker, 2), call(marker, 3)]],
    ["a batch of a call and a notification", [one, { jsonrpc: "2.0", method: "notifications/initialized" }]],
    ["a batch in a batch", [[one]]],
    ["an empty batch", []],
    ["a batch of a hundred calls", Array.from({ length: 100 }, (_, id) => call(marker, id))],
  ];
  const answers: [string, unknown][] = [
    ["an answer", { jsonrpc: "2.0", id: 1, result: params }],
    ["an answer to 0", { jsonrpc: "2.0", id: 0, result: { action: "accept", content: params } }],
    ["an answer to a text", { jsonrpc: "2.0", id: "x", result: {} }],
    ["a failure", { jsonrpc: "2.0", id: 1, error: { code: 1, message: "x", data: params } }],
    ["an answer that failed", { jsonrpc: "2.0", id: 1, result: {}, error: { code: 1, message: "x" } }],
    ["an answer without an id", { jsonrpc: "2.0", result: params }],
  ];
  const methods = ["sampling/createMessage", "elicitation/create", "roots/list", "notifications/message"];
  const asked: [string, unknown][] = methods.map((method) => [method, { jsonrpc: "2.0", id: 1, method, params }]);
  return [...batches, ...answers, ...asked];
}

/** `count`: how often all of them are sent, each time over stdio, in a session of each revision and without a session. */
export async function invalidClientMessages({ count, dist }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    home.configure({ one: home.stdio("one") }, { http: { tokens: [tokenEntry("ann")] } });
    const { url } = await openServedGateway(home, { dist });
    const caller = { url, token: tokenOf("ann") };
    const violations: string[] = [];
    let sent = 0;
    const tell = (what: string, problem: string | undefined): void => {
      sent += 1;
      if (problem !== undefined) violations.push(`${what}: ${problem}`);
    };
    for (let round = 0; round < count; round += 1) {
      for (const revision of OTHER_REVISIONS) {
        const wire = await openStdioWire(home, { dist, revision });
        const session = await openMcpSession(caller, { revision });
        for (const [what, message] of shapes(`${round} ${revision}`)) {
          tell(`${what} on stdio of ${revision}`, judgeStdio(what, await sendLine(wire, message)));
          const { status, answer } = await session.post(message);
          tell(`${what} in a session of ${revision}`, judgeHttp(status, answer.error?.code));
        }
        await wire.close();
      }
      for (const [what, message] of shapes(`${round} stateless`)) {
        const { headers } = modern("tools/call", { name: "execute_tool" });
        for (const more of [{}, headers]) {
          const { status, answer } = await postMcp(caller, message, more);
          tell(`${what} without a session`, judgeHttp(status, answer.error?.code));
        }
      }
    }
    const ran = home.ledger.entries().filter(({ kind }) => kind === "call");
    violations.push(...ran.map(({ id }) => `${id} ran`));
    const figures = { shapes: shapes("").length, executed: ran.length };
    return { title: "messages that no client may send", n: sent, injected: sent, violations, figures };
  });
}

/** The answers before the answer to a following ping. */
async function sendLine(wire: StdioWire, message: unknown): Promise<Reported[]> {
  const reported: Reported[] = [];
  let isListening = true;
  wire.onTold((one) => isListening && reported.push(one));
  const id = `ping ${Math.round(performance.now() * 1000)}`;
  await wire.write(`${JSON.stringify(message)}\n`);
  await withDeadline(wire.ask(id, toLine({ id, method: "ping" })), LIMIT_MS, "a ping");
  isListening = false;
  return reported;
}

/** A response gets no answer on stdio, because it has no sender to report to; anything else is rejected once. */
function judgeStdio(what: string, reported: readonly Reported[]): string | undefined {
  const codes = reported.map(({ error }) => error?.code);
  const isAnswer = /^an answer|^a failure/.test(what);
  if (reported.length === 0 && isAnswer) return undefined;
  if (codes.length === 1 && (codes[0] === -32600 || codes[0] === -32601)) return undefined;
  return `answered with ${JSON.stringify(reported).slice(0, 200)}`;
}

/** Methods of servers are unknown to the gateway: in a session a JSON-RPC error, otherwise HTTP status 404. */
function judgeHttp(status: number, code: number | undefined): string | undefined {
  const isRefused = status === 400 && (code === -32600 || code === -32602 || code === -32020 || code === -32000);
  const isUnknown = (status === 200 || status === 404) && code === -32601;
  return isRefused || isUnknown ? undefined : `answered with ${status} ${code}`;
}
