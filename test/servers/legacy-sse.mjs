// The HTTP+SSE transport of revision 2024-11-05, built on the SDK version that still supports it. It prints its port.
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { z } from "zod";

const transports = new Map();

function createLegacyServer() {
  const server = new McpServer({ name: "legacy-sse", version: "1.0.0" });
  server.registerTool("echo", { description: "Returns the text.", inputSchema: { text: z.string() } }, ({ text }) => ({
    content: [{ type: "text", text }],
  }));
  server.registerTool(
    "big",
    { description: "Returns a text of `bytes` bytes.", inputSchema: { bytes: z.number() } },
    ({ bytes }) => ({
      content: [{ type: "text", text: "x".repeat(bytes) }],
    }),
  );
  return server;
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url, "http://localhost");
  if (request.method === "GET" && url.pathname === "/sse") {
    const transport = new SSEServerTransport("/messages", response);
    transports.set(transport.sessionId, transport);
    return createLegacyServer().connect(transport);
  }
  const transport = transports.get(url.searchParams.get("sessionId"));
  if (request.method === "POST" && transport !== undefined) return transport.handlePostMessage(request, response);
  return response.writeHead(404).end();
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
