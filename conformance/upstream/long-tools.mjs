// The tools of the task scenarios. They do not implement tasks: they only run long enough for the gateway to turn the
// call into a task.
import { setTimeout as pause } from "node:timers/promises";
import { acceptedContent, inputRequired } from "@modelcontextprotocol/server";
import { z } from "zod";
import { text } from "./contents.mjs";

const NO_ARGUMENTS = z.object({});
const LONG_MS = 1500;

const elicit = (message, name, type) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: "object", properties: { [name]: { type } }, required: [name] },
  });

export function registerLongTools(server) {
  const tool = (name, description, run, inputSchema = NO_ARGUMENTS) =>
    server.registerTool(name, { description, inputSchema, annotations: { readOnlyHint: true } }, run);
  const long = ({ mcpReq }, ms = LONG_MS) => pause(ms, undefined, { signal: mcpReq.signal });
  /** Works for a while, asks the client, and finishes when the answer arrives. */
  const asking = (inputRequests, answer) => async (_, context) => {
    const answers = context.mcpReq.inputResponses ?? {};
    if (Object.keys(inputRequests).every((key) => key in answers)) return answer(answers);
    await long(context);
    return inputRequired({ inputRequests });
  };

  tool("greet", "Greets at once.", ({ name }) => text(`Hello, ${name}!`), z.object({ name: z.string() }));
  tool(
    "slow_compute",
    "Runs for the requested number of seconds.",
    async ({ seconds, label }, context) => {
      await long(context, seconds * 1000);
      return text(`Computed ${label} in ${seconds} s`);
    },
    z.object({ seconds: z.number(), label: z.string() }),
  );
  tool("failing_job", "Fails after a while.", async (_, context) => {
    await long(context);
    throw new Error("The job has failed");
  });
  tool("protocol_error_job", "Returns an invalid result after a while.", async (_, context) => {
    await long(context);
    return { content: "no content" };
  });
  tool(
    "confirm_delete",
    "Asks after a while.",
    asking({ confirmed: elicit("Delete it?", "confirm", "boolean") }, ({ confirmed }) =>
      text(confirmed.action === "accept" ? "deleted" : "kept"),
    ),
    z.object({ filename: z.string() }),
  );
  tool(
    "multi_input",
    "Sends two input requests at once after a while.",
    asking(
      { name: elicit("What is your name?", "name", "string"), confirm: elicit("Go on?", "confirm", "boolean") },
      ({ name }) => text(`Done for ${name.content?.name}`),
    ),
  );
  tool("test_tool_with_task", "Sends an input request at once and then runs for a while.", async (_, context) => {
    const given = acceptedContent(context.mcpReq.inputResponses, "user_name");
    if (given === undefined) {
      return inputRequired({ inputRequests: { user_name: elicit("What is your name?", "name", "string") } });
    }
    await long(context);
    return text(`Worked for ${String(given.name)}`);
  });
}
