// The tools of the servers built on the SDK.
import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

const text = (value) => ({ content: [{ type: "text", text: String(value) }] });

export function createModernServer() {
  const server = new McpServer(
    { name: "modern", version: "2.0.0" },
    { capabilities: { tools: { listChanged: true }, logging: {} } },
  );
  server.registerTool(
    "echo",
    { description: "Returns the text.", inputSchema: z.object({ text: z.string() }) },
    ({ text: value }) => text(value),
  );
  server.registerTool(
    "sleep",
    { description: "Waits, with progress.", inputSchema: z.object({ ms: z.number(), every: z.number().optional() }) },
    async ({ ms, every }, ctx) => {
      const progressToken = ctx.mcpReq._meta?.progressToken;
      for (let elapsed = 0; elapsed < ms && !ctx.mcpReq.signal.aborted; elapsed += every ?? ms) {
        await new Promise((resolve) => {
          const timer = setTimeout(resolve, every ?? ms);
          ctx.mcpReq.signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
        });
        if (every !== undefined && progressToken !== undefined) {
          await ctx.mcpReq.notify({
            method: "notifications/progress",
            params: { progressToken, progress: elapsed + every, total: ms },
          });
        }
      }
      return text(`slept ${ms}`);
    },
  );
  server.registerTool("pid", { description: "Returns its process id." }, () => text(process.pid));
  server.registerTool("change", { description: "Announces that the list of tools has changed." }, async () => {
    server.sendToolListChanged();
    return text("announced");
  });
  server.registerTool("broken", { description: "Answers with isError." }, () => {
    throw new Error("it broke");
  });
  return server;
}
