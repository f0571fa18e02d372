// The baseline for start time and memory: an SDK server with five tools that does nothing else.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

serveStdio(() => {
  const server = new McpServer({ name: "bare", version: "1.0.0" });
  for (const name of ["one", "two", "three", "four", "five"]) {
    server.registerTool(
      name,
      { description: `The tool ${name}.`, inputSchema: z.object({ text: z.string() }) },
      ({ text }) => ({ content: [{ type: "text", text }] }),
    );
  }
  return server;
});
