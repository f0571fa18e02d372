// Streamable HTTP on a port from the system, which it prints. Start: node http.mjs both|modern|session
// `session` is a legacy server that keeps sessions and forgets them all at DELETE /sessions.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, isInitializeRequest } from "@modelcontextprotocol/server";
import { createModernServer } from "./modern-tools.mjs";

const mode = process.argv[2] ?? "both";

function stateless() {
  return toNodeHandler(createMcpHandler(createModernServer, mode === "modern" ? { legacy: "reject" } : {}));
}

function withSessions() {
  const sessions = new Map();
  return async (request, response) => {
    if (request.url === "/sessions") {
      sessions.clear();
      return response.writeHead(204).end();
    }
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString());
    const known = sessions.get(request.headers["mcp-session-id"]);
    if (known !== undefined) return known.handleRequest(request, response, body);
    if (body === undefined || !isInitializeRequest(body)) {
      const status = request.headers["mcp-session-id"] === undefined ? 400 : 404;
      return response
        .writeHead(status, { "content-type": "application/json" })
        .end(`{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`);
    }
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await createModernServer().connect(transport);
    return transport.handleRequest(request, response, body);
  };
}

const server = createServer(mode === "session" ? withSessions() : stateless());
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
