// A server that returns its list as an event stream, after an unparsable line and a notification.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface HiddenServer {
  readonly url: string;
  /** The number of calls that it received. */
  readonly calls: () => number;
  close(): Promise<void>;
}

export async function openHiddenServer(tools: readonly object[]): Promise<HiddenServer> {
  let calls = 0;
  const answerTo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as {
      id?: number;
      method: string;
      params?: { protocolVersion?: string };
    };
    if (id === undefined) return void response.writeHead(202).end();
    if (method === "tools/call") calls += 1;
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "hidden", version: "1" },
      },
      "tools/list": { tools },
      "tools/call": { content: [{ type: "text", text: "ran" }] },
    };
    const result = results[method];
    const answer = result === undefined ? { error: { code: -32601, message: "Method not found" } } : { result };
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (method === "tools/list") {
      const names = JSON.stringify(tools).slice(0, 200);
      response.write(
        `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"first"}}\n\n`,
      );
      response.write(`data: {"jsonrpc":"2.0","id":${id},"result":{"tools":${names}\n\n`);
    }
    response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n\n`);
  };
  const server = createServer((request, response) => void answerTo(request, response));
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    calls: () => calls,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
