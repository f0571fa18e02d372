// A legacy server (SDK v1) that sends requests to its clients. Start: node asking-legacy.mjs [http]
// Over HTTP it keeps sessions and prints its port. `loosely` sends its request outside the stream of the call. With `eager` it
// requests the roots as soon as the handshake is complete.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  CreateMessageResultWithToolsSchema,
  ElicitResultSchema,
  ListRootsResultSchema,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

const text = (value) => ({
  content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }],
});
const LONG = { timeout: 600_000 };

let initial = "nothing";
let aborted = 0;
let ran = 0;

function createAskingServer() {
  const server = new McpServer({ name: "asking", version: "1.0.0" }, { capabilities: { tools: {}, logging: {} } });
  const tool = (name, inputSchema, run) =>
    server.registerTool(
      name,
      { description: `${name}.`, inputSchema, annotations: { readOnlyHint: true } },
      async (args, extra) => {
        extra.signal.addEventListener("abort", () => (aborted += 1), { once: true });
        try {
          return text(await run(args, extra));
        } catch (error) {
          if (error instanceof UrlElicitationRequiredError) throw error;
          return { ...text(`${error.code} ${error.message}`), isError: true };
        }
      },
    );
  const form = (message) => ({
    method: "elicitation/create",
    params: {
      mode: "form",
      message,
      requestedSchema: { type: "object", properties: { value: { type: "string" } }, required: ["value"] },
    },
  });
  const elicit = (extra, message) => extra.sendRequest(form(message), ElicitResultSchema, LONG);

  tool("ask", { question: z.string() }, async ({ question }, extra) => {
    ran += 1;
    return await elicit(extra, question);
  });
  tool("loosely", { question: z.string() }, ({ question }) => server.server.elicitInput(form(question).params, LONG));
  tool("twice", {}, async (_, extra) => {
    ran += 1;
    const first = await elicit(extra, "first");
    const second = await elicit(extra, `second after ${first.content?.value}`);
    return [first.content?.value, second.content?.value];
  });
  tool("page", {}, (_, extra) =>
    extra.sendRequest(
      {
        method: "elicitation/create",
        params: { mode: "url", message: "sign in", url: "https://sign.example/in", elicitationId: "e-1" },
      },
      ElicitResultSchema,
      LONG,
    ),
  );
  const visited = new Set();
  tool("gated", { user: z.string() }, ({ user }) => {
    if (visited.has(user)) return "welcome";
    const url = "https://sign.example/in";
    throw new UrlElicitationRequiredError([{ mode: "url", message: "sign in", url, elicitationId: user }]);
  });
  tool("visit", { user: z.string() }, async ({ user }) => {
    visited.add(user);
    await server.server.createElicitationCompletionNotifier(user)();
    return "visited";
  });
  tool("think", { prompt: z.string(), withTools: z.boolean().optional() }, ({ prompt, withTools }, extra) =>
    extra.sendRequest(
      {
        method: "sampling/createMessage",
        params: {
          messages: [{ role: "user", content: { type: "text", text: prompt } }],
          maxTokens: 10,
          ...(withTools ? { tools: [{ name: "add", inputSchema: { type: "object" } }] } : {}),
        },
      },
      CreateMessageResultWithToolsSchema,
      LONG,
    ),
  );
  tool("folders", {}, (_, extra) => extra.sendRequest({ method: "roots/list" }, ListRootsResultSchema, LONG));
  tool("together", {}, (_, extra) => Promise.all([elicit(extra, "one"), elicit(extra, "two")]));
  tool("takeBack", {}, async (_, extra) => {
    const withdrawal = new AbortController();
    const asking = extra.sendRequest(form("never mind"), ElicitResultSchema, { ...LONG, signal: withdrawal.signal });
    setTimeout(() => withdrawal.abort("changed my mind"), 100);
    await asking.catch(() => undefined);
    return "taken back";
  });
  tool("talk", { tag: z.string() }, async ({ tag }, extra) => {
    for (const level of ["debug", "info", "error"]) {
      await extra.sendNotification({ method: "notifications/message", params: { level, data: `${tag} ${level}` } });
    }
    return "said";
  });
  tool("declared", {}, () => server.server.getClientCapabilities());
  tool("initial", {}, () => initial);
  tool("counts", {}, () => ({ aborted, ran }));
  if (process.argv[2] === "eager") {
    server.server.oninitialized = () => {
      server.server.listRoots().then(
        () => (initial = "given"),
        (error) => (initial = `refused with ${error.code}`),
      );
    };
  }
  return server;
}

function serveHttp() {
  const sessions = new Map();
  const listener = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString());
    const known = sessions.get(request.headers["mcp-session-id"]);
    if (known !== undefined) return known.handleRequest(request, response, body);
    if (body?.method !== "initialize") return response.writeHead(400).end();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await createAskingServer().connect(transport);
    return transport.handleRequest(request, response, body);
  });
  listener.listen(0, "127.0.0.1", () => console.log(listener.address().port));
}

if (process.argv[2] === "http") serveHttp();
else await createAskingServer().connect(new StdioServerTransport());
