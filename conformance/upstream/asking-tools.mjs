// Tools that ask the client for input (elicitation, sampling, roots) before they answer. They are written once: for clients
// before 2026-07-28 the SDK sends the questions as separate requests.
import { acceptedContent, inputRequired } from "@modelcontextprotocol/server";
import { z } from "zod";
import { text } from "./contents.mjs";

const NO_ARGUMENTS = z.object({});

const strings = (...names) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
  required: names,
});
const elicit = (message, requestedSchema) => inputRequired.elicit({ message, requestedSchema });
const sample = (question, maxTokens = 100) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: { type: "text", text: question } }], maxTokens });

const DEFAULTS = {
  type: "object",
  properties: {
    name: { type: "string", description: "User name", default: "John Doe" },
    age: { type: "integer", description: "User age", default: 30 },
    score: { type: "number", description: "User score", default: 95.5 },
    status: { type: "string", description: "User status", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", description: "Verification status", default: true },
  },
  required: [],
};

const titled = (noun) =>
  [1, 2, 3].map((n) => ({ const: `value${n}`, title: `${["First", "Second", "Third"][n - 1]} ${noun}` }));
const OPTIONS = ["option1", "option2", "option3"];
const ENUMS = {
  type: "object",
  properties: {
    untitledSingle: { type: "string", enum: OPTIONS },
    titledSingle: { type: "string", oneOf: titled("Option") },
    legacyEnum: {
      type: "string",
      enum: ["opt1", "opt2", "opt3"],
      enumNames: ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti: { type: "array", items: { type: "string", enum: OPTIONS } },
    titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
  },
  required: [],
};

export function registerAskingTools(server, states) {
  const tool = (name, description, run, inputSchema = NO_ARGUMENTS) =>
    server.registerTool(name, { description, inputSchema, annotations: { readOnlyHint: true } }, run);
  const completed = ({ action, content }) =>
    text(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`);
  /** Asks until every answer has arrived, then passes the answers on. */
  const asking = (toRequests, answer) => (args, context) => {
    const requests = toRequests(args, context);
    const answers = context.mcpReq.inputResponses ?? {};
    const isThere = Object.keys(requests).every((key) => typeof answers[key] === "object" && answers[key] !== null);
    return isThere ? answer(answers, context) : inputRequired({ inputRequests: requests });
  };

  tool(
    "test_sampling",
    "Requests text from the client's model.",
    asking(
      ({ prompt }) => ({ said: sample(prompt) }),
      ({ said }) => text(`LLM response: ${said.content.text}`),
    ),
    z.object({ prompt: z.string() }),
  );
  tool(
    "test_elicitation",
    "Asks the user for a name and an address.",
    asking(
      ({ message }) => ({ user: elicit(message, strings("username", "email")) }),
      ({ user }) => text(`User response: ${JSON.stringify(user)}`),
    ),
    z.object({ message: z.string() }),
  );
  tool(
    "test_elicitation_sep1034_defaults",
    "Asks with a default for each kind of field.",
    asking(
      () => ({ form: elicit("Please review and update the form fields", DEFAULTS) }),
      ({ form }) => completed(form),
    ),
  );
  tool(
    "test_elicitation_sep1330_enums",
    "Asks with each kind of choice.",
    asking(
      () => ({ form: elicit("Please select options", ENUMS) }),
      ({ form }) => completed(form),
    ),
  );

  tool("test_input_required_result_elicitation", "Asks for a name.", (_, { mcpReq }) => {
    const given = acceptedContent(mcpReq.inputResponses, "user_name");
    return given === undefined
      ? inputRequired({ inputRequests: { user_name: elicit("What is your name?", strings("name")) } })
      : text(`Hello, ${String(given.name)}!`);
  });
  tool(
    "test_input_required_result_sampling",
    "Asks a model for a capital.",
    asking(
      () => ({ capital_question: sample("What is the capital of France?") }),
      ({ capital_question: said }) => text(said.content.text),
    ),
  );
  tool(
    "test_input_required_result_list_roots",
    "Asks for the folders.",
    asking(
      () => ({ client_roots: inputRequired.listRoots() }),
      ({ client_roots: { roots } }) => text(JSON.stringify(roots)),
    ),
  );

  const confirm = () => ({
    confirm: elicit("Please confirm", { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] }),
  });
  const withState = (name, description) =>
    tool(name, description, async (_, { mcpReq }) => {
      const state = mcpReq.requestState();
      if (state?.step === name && mcpReq.inputResponses?.confirm !== undefined) return text("state-ok");
      return inputRequired({ inputRequests: confirm(), requestState: await states.mint({ step: name }) });
    });
  withState("test_input_required_result_request_state", "Keeps a state between two rounds.");
  withState("test_input_required_result_tampered_state", "Rejects a request state that it did not issue.");

  tool("test_input_required_result_multiple_inputs", "Sends three input requests at once.", async (_, { mcpReq }) => {
    const answers = mcpReq.inputResponses;
    if (mcpReq.requestState() !== undefined && answers?.user_name && answers.greeting && answers.client_roots) {
      return text(`${answers.greeting.content.text} ${answers.user_name.content?.name}`);
    }
    const inputRequests = {
      user_name: elicit("What is your name?", strings("name")),
      greeting: sample("Generate a greeting", 50),
      client_roots: inputRequired.listRoots(),
    };
    return inputRequired({ inputRequests, requestState: await states.mint({ step: "asked" }) });
  });
  tool(
    "test_input_required_result_multi_round",
    "Sends two input requests one after the other.",
    async (_, { mcpReq }) => {
      const { step = 0, name } = mcpReq.requestState() ?? {};
      const first = acceptedContent(mcpReq.inputResponses, "step1");
      const second = acceptedContent(mcpReq.inputResponses, "step2");
      if (step === 2 && second !== undefined) return text(`${name} likes ${String(second.color)}`);
      const isSecondStep = step === 1 && first !== undefined;
      const inputRequests = isSecondStep
        ? { step2: elicit("Step 2: What is your favorite color?", strings("color")) }
        : { step1: elicit("Step 1: What is your name?", strings("name")) };
      const requestState = await states.mint(isSecondStep ? { step: 2, name: first.name } : { step: 1 });
      return inputRequired({ inputRequests, requestState });
    },
  );
  tool(
    "test_input_required_result_capabilities",
    "Sends only input requests that the client supports.",
    asking(
      (_, { mcpReq }) => {
        const declared = mcpReq.envelope?.["io.modelcontextprotocol/clientCapabilities"] ?? {};
        return {
          ...(declared.elicitation && { name: elicit("What is your name?", strings("name")) }),
          ...(declared.sampling && { greeting: sample("Generate a greeting") }),
        };
      },
      () => text("all supported input requests were answered"),
    ),
  );
  tool(
    "test_streaming_elicitation",
    "Asks for a confirmation.",
    asking(confirm, () => text("confirmed")),
  );
  tool(
    "test_missing_capability",
    "Requires a client that supports sampling.",
    asking(
      () => ({ needed: sample("Answer with one word.") }),
      () => text("answered"),
    ),
  );
}
