// Tools of the scenarios that answer without asking the client for input.
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { fromJsonSchema } from "@modelcontextprotocol/server";
import { z } from "zod";
import { PIXEL, SILENCE, text } from "./contents.mjs";

const NO_ARGUMENTS = z.object({});

const DIALECT_2020_12 = JSON.parse(readFileSync(new URL("dialect-2020-12.json", import.meta.url), "utf8"));

const HEADED = {
  type: "object",
  properties: { region: { type: "string", "x-mcp-header": "Region" } },
  required: ["region"],
};

/** Returns the tool that is added and removed at run time. */
export function registerPlainTools(server, changes) {
  const tool = (name, description, run, inputSchema = NO_ARGUMENTS) =>
    server.registerTool(name, { description, inputSchema, annotations: { readOnlyHint: true } }, run);
  const image = { type: "image", data: PIXEL, mimeType: "image/png" };
  const embedded = (uri, mimeType, content) => ({ type: "resource", resource: { uri, mimeType, text: content } });

  tool("test_simple_text", "Answers with text.", () => text("This is a simple text response for testing."));
  tool("test_image_content", "Answers with an image.", () => ({ content: [image] }));
  tool("test_audio_content", "Answers with sound.", () => ({
    content: [{ type: "audio", data: SILENCE, mimeType: "audio/wav" }],
  }));
  tool("test_embedded_resource", "Answers with a resource.", () => ({
    content: [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  }));
  tool("test_multiple_content_types", "Answers with text, an image and a resource.", () => ({
    content: [
      { type: "text", text: "Multiple content types test:" },
      image,
      embedded("test://mixed-content-resource", "application/json", JSON.stringify({ test: "data", value: 123 })),
    ],
  }));
  tool("test_error_handling", "Always fails.", () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
  tool("test_tool_with_logging", "Sends three log messages while it runs.", async (_, { mcpReq }) => {
    for (const line of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await mcpReq.log("info", line);
      await pause(50);
    }
    return text("Tool with logging executed successfully");
  });
  tool("test_logging_tool", "Sends log messages.", async (_, { mcpReq }) => {
    await mcpReq.log("info", "a log message");
    return text("logged");
  });
  tool("test_tool_with_progress", "Reports progress.", async (_, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        const params = { progressToken, progress, total: 100, message: `Completed step ${progress} of 100` };
        await mcpReq.notify({ method: "notifications/progress", params });
      }
      await pause(50);
    }
    return text("Tool with progress executed successfully");
  });
  tool("test_reconnection", "Closes its stream before it answers.", async (_, context) => {
    await pause(100);
    context.http?.closeSSE?.();
    await pause(100);
    return text("Reconnection test completed successfully.");
  });
  tool(
    "json_schema_2020_12_tool",
    "Tool with JSON Schema 2020-12 features",
    () => text("accepted"),
    fromJsonSchema(DIALECT_2020_12),
  );
  tool(
    "test_custom_header",
    "Has an argument that is also sent in a header.",
    ({ region }) => text(region),
    fromJsonSchema(HEADED),
  );

  tool("test_trigger_tool_change", "Adds or removes a tool.", () => {
    changes.toggleTool();
    return text("changed");
  });
  tool("test_trigger_prompt_change", "Adds or removes a prompt.", () => {
    changes.togglePrompt();
    return text("changed");
  });
  return tool("test_added_later", "Is added and removed at run time.", () => text("here"));
}
