// A modern server (2026-07-28) that sends input requests to its clients. Start: node asking-modern.mjs [http]
// Over HTTP it prints its port.
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const text = (value) => ({
  content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }],
});

let ran = 0;

function createAskingServer() {
  const server = new McpServer({ name: "asking", version: "2.0.0" }, { capabilities: { tools: {}, logging: {} } });
  const tool = (name, shape, run) =>
    server.registerTool(
      name,
      { description: `${name}.`, inputSchema: z.object(shape), annotations: { readOnlyHint: true } },
      async (args, { mcpReq }) => {
        const answer = await run(args, mcpReq);
        return answer?.resultType === "input_required" ? answer : text(answer);
      },
    );
  const form = (message) =>
    inputRequired.elicit({
      message,
      requestedSchema: { type: "object", properties: { value: { type: "string" } }, required: ["value"] },
    });
  /** Asks once and returns the answer. */
  const once = (mcpReq, request) => mcpReq.inputResponses?.it ?? inputRequired({ inputRequests: { it: request() } });

  tool("ask", { question: z.string() }, ({ question }, mcpReq) => {
    if (mcpReq.inputResponses === undefined) ran += 1;
    return once(mcpReq, () => form(question));
  });
  tool("twice", {}, (_, mcpReq) => {
    const [step, first] = JSON.parse(mcpReq.requestState() ?? "[0]");
    const value = mcpReq.inputResponses?.it?.content?.value;
    if (step === 0) {
      ran += 1;
      return inputRequired({ inputRequests: { it: form("first") }, requestState: JSON.stringify([1]) });
    }
    if (step === 1) {
      const requestState = JSON.stringify([2, value]);
      return inputRequired({ inputRequests: { it: form(`second after ${value}`) }, requestState });
    }
    return [first, value];
  });
  tool("page", {}, (_, mcpReq) =>
    once(mcpReq, () => inputRequired.elicitUrl({ message: "sign in", url: "https://sign.example/in" })),
  );
  tool("think", { prompt: z.string(), withTools: z.boolean().optional() }, ({ prompt, withTools }, mcpReq) =>
    once(mcpReq, () =>
      inputRequired.createMessage({
        messages: [{ role: "user", content: { type: "text", text: prompt } }],
        maxTokens: 10,
        ...(withTools ? { tools: [{ name: "add", inputSchema: { type: "object" } }] } : {}),
      }),
    ),
  );
  tool("folders", {}, (_, mcpReq) => once(mcpReq, () => inputRequired.listRoots()));
  tool("together", {}, (_, { inputResponses }) =>
    inputResponses === undefined
      ? inputRequired({ inputRequests: { a: form("one"), b: form("two") } })
      : [inputResponses.a, inputResponses.b],
  );
  tool("later", {}, (_, mcpReq) => {
    const rounds = Number(mcpReq.requestState() ?? 0);
    return rounds < 2 ? inputRequired({ requestState: String(rounds + 1) }) : `after ${rounds} rounds`;
  });
  tool("forever", {}, () => inputRequired({ inputRequests: { it: form("again") } }));
  tool("talk", { tag: z.string() }, async ({ tag }, mcpReq) => {
    for (const level of ["debug", "info", "error"]) await mcpReq.log(level, `${tag} ${level}`);
    return "said";
  });
  tool("declared", {}, (_, { envelope }) => envelope["io.modelcontextprotocol/clientCapabilities"]);
  tool("counts", {}, () => ({ ran }));
  return server;
}

if (process.argv[2] === "http") {
  const listener = createServer(toNodeHandler(createMcpHandler(createAskingServer, { legacy: "reject" })));
  listener.listen(0, "127.0.0.1", () => console.log(listener.address().port));
} else {
  serveStdio(createAskingServer, { legacy: "reject" });
}
