// The test server for the scenarios, used directly and as the only server behind the gateway.
// Start: node server.mjs stdio|http [both|legacy|modern]. Over HTTP it prints its port.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  createRequestStateCodec,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  McpServer,
  originValidationResponse,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { registerAskingTools } from "./upstream/asking-tools.mjs";
import { createChanges } from "./upstream/changes.mjs";
import { createEventStore } from "./upstream/event-store.mjs";
import { registerLongTools } from "./upstream/long-tools.mjs";
import { registerPlainTools } from "./upstream/plain-tools.mjs";
import { registerPrompts } from "./upstream/prompts.mjs";
import { registerResources } from "./upstream/resources.mjs";

const [transportName = "stdio", era = "both"] = process.argv.slice(2);

const states = createRequestStateCodec({ key: crypto.getRandomValues(new Uint8Array(32)) });
const changes = createChanges();

/** With `isLongLived`, the server object is notified of changes until its connection closes. */
function createTestServer(isLongLived) {
  const server = new McpServer(
    { name: "conformance", version: "1.0.0" },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
        logging: {},
      },
      requestState: { verify: states.verify },
    },
  );
  const registered = { tool: registerPlainTools(server, changes), prompt: registerPrompts(server) };
  registerAskingTools(server, states);
  registerLongTools(server);
  registerResources(server);
  const watched = new Set();
  server.server.setRequestHandler("resources/subscribe", ({ params }) => {
    watched.add(params.uri);
    return {};
  });
  server.server.setRequestHandler("resources/unsubscribe", ({ params }) => {
    watched.delete(params.uri);
    return {};
  });
  changes.apply(registered);
  if (isLongLived) server.server.onclose = changes.follow(registered);
  return server;
}

/** Serves the revisions with sessions: one server object per session. */
function createSessions() {
  const sessions = new Map();
  return async (request) => {
    const known = sessions.get(request.headers.get("mcp-session-id"));
    if (known !== undefined) return await known.handleRequest(request);
    if (request.headers.has("mcp-session-id")) return new Response(null, { status: 404 });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: createEventStore(),
      retryInterval: 100,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await createTestServer(true).connect(transport);
    return await transport.handleRequest(request);
  };
}

function serveHttp() {
  const modern = createMcpHandler(() => createTestServer(false), { legacy: "reject" });
  changes.publishTo(modern.notify);
  const sessions = createSessions();
  const fetch = async (request) => {
    const refused =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins());
    if (refused) return refused;
    const isLegacy = era === "legacy" || (era === "both" && (await isLegacyRequest(request)));
    return await (isLegacy ? sessions(request) : modern.fetch(request));
  };
  const listener = createServer(toNodeHandler({ fetch }));
  listener.listen(0, "127.0.0.1", () => console.log(listener.address().port));
}

if (transportName === "http") serveHttp();
else if (era === "legacy") await createTestServer(true).connect(new StdioServerTransport());
else serveStdio(() => createTestServer(true), { legacy: era === "modern" ? "reject" : "serve" });
