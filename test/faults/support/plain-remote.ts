import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface PlainRemote {
  readonly url: string;
  close(): void;
}

export interface PlainRemoteOptions {
  readonly port?: number;
  readonly tool: object;
  /** The text of the answer to a call. */
  readonly answer: (request: IncomingMessage) => string;
}

/** An HTTP server with a single tool, in this process. */
export async function openPlainRemote(options: PlainRemoteOptions): Promise<PlainRemote> {
  const server = createServer((request, response) => void serve(request, response, options));
  server.keepAliveTimeout = 0;
  await listen(server, options.port ?? 0);
  return { url: `http://127.0.0.1:${portOf(server)}/mcp`, close: () => void server.close() };
}

/** Unused ports. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listen(createServer(), 0)));
  const ports = servers.map(portOf);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

function listen(server: Server, port: number): Promise<Server> {
  return new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve(server)));
}

async function serve(request: IncomingMessage, response: ServerResponse, options: PlainRemoteOptions): Promise<void> {
  if (request.method !== "POST") return void response.writeHead(405).end();
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { id, method } = JSON.parse(String(Buffer.concat(chunks))) as { id?: number; method: string };
  if (id === undefined) return void response.writeHead(202).end();
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answerOf(method, request, options) }));
}

function answerOf(method: string, request: IncomingMessage, { tool, answer }: PlainRemoteOptions): object {
  if (method === "initialize") {
    const serverInfo = { name: "plain", version: "1.0.0" };
    return { result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo } };
  }
  if (method === "tools/list") return { result: { tools: [tool] } };
  if (method === "tools/call") return { result: { content: [{ type: "text", text: answer(request) }] } };
  return { error: { code: -32601, message: "Method not found" } };
}
