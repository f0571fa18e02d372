// The prompts that the scenarios get, with completion for one argument.
import { acceptedContent, completable, inputRequired } from "@modelcontextprotocol/server";
import { z } from "zod";
import { PIXEL } from "./contents.mjs";

const user = (content) => ({ role: "user", content });
const says = (words) => user({ type: "text", text: words });

/** Returns the prompt that is added and removed at run time. */
export function registerPrompts(server) {
  server.registerPrompt("test_simple_prompt", { description: "A prompt without arguments." }, () => ({
    messages: [says("This is a simple prompt for testing.")],
  }));
  const beginning = (value) => ["test", "testing", "paris", "park"].filter((word) => word.startsWith(value));
  server.registerPrompt(
    "test_prompt_with_arguments",
    {
      description: "A prompt with two arguments.",
      argsSchema: z.object({
        arg1: completable(z.string().describe("First test argument"), beginning),
        arg2: z.string().describe("Second test argument"),
      }),
    },
    ({ arg1, arg2 }) => ({ messages: [says(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    {
      description: "A prompt with a resource in it.",
      argsSchema: z.object({ resourceUri: z.string().describe("URI of the resource to embed") }),
    },
    ({ resourceUri: uri }) => ({
      messages: [
        user({
          type: "resource",
          resource: { uri, mimeType: "text/plain", text: "Embedded resource content for testing." },
        }),
        says("Please process the embedded resource above."),
      ],
    }),
  );
  server.registerPrompt("test_prompt_with_image", { description: "A prompt with an image in it." }, () => ({
    messages: [user({ type: "image", data: PIXEL, mimeType: "image/png" }), says("Please analyze the image above.")],
  }));
  server.registerPrompt(
    "test_input_required_result_prompt",
    { description: "A prompt that asks for its context." },
    ({ mcpReq }) => {
      const given = acceptedContent(mcpReq.inputResponses, "user_context");
      if (given !== undefined) return { messages: [says(`Use this context: ${String(given.context)}`)] };
      const user_context = inputRequired.elicit({
        message: "What context should the prompt use?",
        requestedSchema: { type: "object", properties: { context: { type: "string" } }, required: ["context"] },
      });
      return inputRequired({ inputRequests: { user_context } });
    },
  );
  return server.registerPrompt("test_prompt_added_later", { description: "Is added and removed at run time." }, () => ({
    messages: [says("Here.")],
  }));
}
