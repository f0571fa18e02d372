// A server with prompts, resources, templates and completions, in pages, for both protocol eras. Its tool `touch` sends an
// update notification for a resource, `add` adds a prompt, `end` ends the process, and `watched` lists the subscribed
// resources. Start: node library.mjs
import { appendFileSync } from "node:fs";
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const log = process.argv[2];
if (log !== undefined) appendFileSync(log, "started\n");

const PAGE = 2;
const prompts = ["greet", "part", "a name with spaces and more letters than any client would take for a prompt"].map(
  (name) => ({ name, description: `Says ${name}.`, arguments: [{ name: "who" }], extra: { kept: true } }),
);
const resources = ["book://shelf/1", "book://shelf/2", "plain"].map((uri) => ({ uri, name: uri }));

/** The subscribed resources, in the legacy era. */
const watched = new Set();

function page(items, cursor) {
  const start = Number(cursor ?? 0);
  return {
    items: items.slice(start, start + PAGE),
    ...(start + PAGE < items.length ? { nextCursor: String(start + PAGE) } : {}),
  };
}

function createLibrary() {
  const server = new Server(
    { name: "library", version: "1.0.0" },
    {
      capabilities: {
        tools: {},
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        completions: {},
      },
    },
  );
  const tool = (name) => ({ name, inputSchema: { type: "object" }, annotations: { readOnlyHint: true } });
  server.setRequestHandler("tools/list", () => ({ tools: [tool("touch"), tool("add"), tool("end"), tool("watched")] }));
  server.setRequestHandler("tools/call", async ({ params }) => {
    if (params.name === "watched") return { content: [{ type: "text", text: [...watched].join(" ") }] };
    if (params.name === "end") process.exit(1);
    if (params.name === "touch") await server.sendResourceUpdated({ uri: params.arguments.uri });
    else {
      prompts.push({ name: "added" });
      await server.sendPromptListChanged();
    }
    return { content: [{ type: "text", text: "done" }] };
  });
  server.setRequestHandler("resources/subscribe", ({ params }) => (watched.add(params.uri), {}));
  server.setRequestHandler("resources/unsubscribe", ({ params }) => (watched.delete(params.uri), {}));
  server.fallbackRequestHandler = async ({ method, params }) => {
    if (method === "prompts/list") {
      const { items, ...next } = page(prompts, params?.cursor);
      return { prompts: items, ...next };
    }
    if (method === "resources/list") {
      const { items, ...next } = page(resources, params?.cursor);
      return { resources: items, ...next };
    }
    if (method === "resources/templates/list")
      return { resourceTemplates: [{ uriTemplate: "book://shelf/{id}", name: "book" }] };
    if (method === "prompts/get") return getPrompt(params);
    if (method === "resources/read" && params.uri === "book://secret")
      throw Object.assign(new Error(`No ${process.env.SECRET}`), { code: -32_002, data: { key: process.env.SECRET } });
    if (method === "resources/read" && params.uri === "book://big")
      return { contents: [{ uri: params.uri, text: "x".repeat(100_000) }] };
    if (method === "resources/read")
      return {
        contents: [
          { uri: params.uri, text: `Text of ${String(params.uri)}` },
          { uri: "book://cover", text: "" },
        ],
      };
    if (method === "completion/complete")
      return { completion: { values: [`${params.ref.name ?? params.ref.uri} ${params.argument.value}`] } };
    throw Object.assign(new Error("Method not found"), { code: -32_601 });
  };
  return server;
}

function getPrompt({ name, arguments: args, _meta }) {
  if (!prompts.some((prompt) => prompt.name === name))
    throw Object.assign(new Error(`No ${name} here`), { code: -32_602, data: { asked: name } });
  const text = `${name} ${args?.who ?? "nobody"} ${JSON.stringify(_meta?.trace ?? null)}`;
  return { messages: [{ role: "user", content: { type: "text", text } }], "x-own": 1 };
}

serveStdio(createLibrary);
