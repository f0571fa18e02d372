// A legacy server that sends a log message and an elicitation during a call, while a request for its prompts is pending.
// It answers that request after the elicitation. Start: node asking-while-listing.mjs
import { once, EventEmitter } from "node:events";
import { createInterface } from "node:readline";
import { send, serve, text } from "./rpc.mjs";

const events = new EventEmitter();
const asked = once(events, "asked");

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.id === "question" && message.method === undefined) events.emit("answer", message);
});

const whenAnswered = async (result) => {
  events.emit("asked");
  await once(events, "answer");
  return result;
};

serve(
  {
    "tools/list": () => ({ tools: [{ name: "ask", inputSchema: { type: "object" } }] }),
    "prompts/list": () => whenAnswered({ prompts: [] }),
    "prompts/get": () => whenAnswered({ messages: [] }),
    "tools/call": async () => {
      await asked;
      send({ method: "notifications/message", params: { level: "info", data: "in the midst" } });
      const answer = once(events, "answer");
      const requestedSchema = { type: "object", properties: {} };
      send({ id: "question", method: "elicitation/create", params: { message: "q", requestedSchema } });
      const [{ result, error }] = await answer;
      return text(JSON.stringify(result ?? error));
    },
  },
  { capabilities: { tools: {}, prompts: {}, logging: {} } },
);
