// Messages over HTTP that no correct server sends: as an event stream and as a JSON body.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { closeAll, openWatched, textOf, toCall } from "../../test/support/upstreams.js";
import type { UpstreamTarget } from "./types.js";

const MIB = 1024 * 1024;
const servers: Server[] = [];

afterEach(async () => {
  await closeAll();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

type Form = "events" | "carriage returns" | "body";
type Id = string | number;
/** The text of the response to a call. */
type Answer = (id: Id) => string | Buffer;

const result =
  (value: string): Answer =>
  (id) =>
    `{"jsonrpc":"2.0","id":${id},"result":${value}}`;

async function read(
  request: IncomingMessage,
): Promise<{ id?: Id; method: string; params: { protocolVersion: string } }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as never;
}

function send(response: ServerResponse, form: Form, text: string | Buffer): void {
  if (form === "body") return void response.writeHead(200, { "content-type": "application/json" }).end(text);
  response.writeHead(200, { "content-type": "text/event-stream" });
  const end = form === "events" ? "\n" : "\r";
  response.write(`event: message${end}data: `);
  response.end(Buffer.concat([Buffer.from(text), Buffer.from(end + end)]));
}

async function open(form: Form, answer: Answer): Promise<UpstreamTarget> {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method, params } = await read(request);
    if (id === undefined) return void response.writeHead(202).end();
    const { protocolVersion } = params;
    const handshake = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "remote", version: "1" } };
    if (method === "initialize") return send(response, form, result(JSON.stringify(handshake))(id));
    send(response, form, method === "tools/call" ? answer(id) : result("{}")(id));
  };
  const server = createServer((request, response) => void respond(request, response)).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return { name: "remote", connection: () => ({ kind: "http", url, headers: {} }), eraHint: "legacy" };
}

describe.each<Form>(["events", "carriage returns", "body"])("a response as %s", (form) => {
  it.each<[string, string, object]>([
    ["nested too deep", `{"content":[],"x":${"[".repeat(5 * MIB)}`, { code: "TOOL_EXECUTION_ERROR", executed: "yes" }],
    ["with too many values", `{"content":[],"x":[${"{},".repeat(500_001)}0]}`, { code: "RESULT_TOO_LARGE" }],
    [
      "with too many keys",
      `{"content":[],"x":[${'{"a":0},'.repeat(150_001)}0]}`,
      { code: "RESULT_TOO_LARGE", message: "remote sent an answer with more than 150000 keys." },
    ],
  ])("%s fails its call without being parsed", async (_name, value, expected) => {
    const upstreams = openWatched();
    await expect(upstreams.call(await open(form, result(value)), toCall("x"))).rejects.toMatchObject(expected);
    expect(upstreams.messageFaults("remote").refused).toBe(1);
  });

  it("may have a byte order mark", async () => {
    const answer: Answer = (id) => `\ufeff${String(result('{"content":[{"type":"text","text":"a"}]}')(id))}`;
    expect(textOf(await openWatched().call(await open(form, answer), toCall("x")))).toBe("a");
  });

  it("that is not UTF-8 is marked and counted", async () => {
    const answer: Answer = (id) =>
      Buffer.from(String(result('{"content":[{"type":"text","text":"é"}]}')(id)), "latin1");
    const upstreams = openWatched();
    expect(await upstreams.call(await open(form, answer), toCall("x"))).toEqual({
      content: [{ type: "text", text: "\ufffd" }],
      _meta: { "anygpt/invalidUtf8": true },
    });
    expect(upstreams.messageFaults("remote").invalidUtf8).toBe(1);
  });

  it("arrives unchanged within the limits", async () => {
    const text = 'é "quoted" \\ [[[ \u2028 end';
    const value = JSON.stringify({
      content: [{ type: "text", text }],
      x: Array.from({ length: 50_000 }, (_, at) => at),
    });
    const { content, x } = await openWatched().call(await open(form, result(value)), toCall("x"));
    expect(content).toEqual([{ type: "text", text }]);
    expect(x).toHaveLength(50_000);
  });
});
