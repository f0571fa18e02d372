// Returns every kind of result, and has tools that make it possible to kill the server at a chosen moment. Start: node results.mjs [--stubborn]
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { send, text } from "../../../test/servers/rpc.mjs";
import { RESULTS } from "./result-cases.mjs";

const tool = (name, properties = {}, extra = {}) => ({
  name,
  description: `Answers as ${name}.`,
  inputSchema: { type: "object", properties, required: Object.keys(properties) },
  ...extra,
});
const string = { type: "string" };

const tools = [
  ...RESULTS.map(({ name, outputSchema }) => tool(name, {}, outputSchema === undefined ? {} : { outputSchema })),
  tool("echo", { text: string }),
  tool("pid"),
  tool("wait", { file: string }),
];

const answers = {
  ...Object.fromEntries(RESULTS.map(({ name, result }) => [name, () => result])),
  echo: (args) => text(args.text),
  pid: () => text(process.pid),
  /** Creates a file to show that the call has started, and never answers. */
  wait: ({ file }) => {
    writeFileSync(file, "at work");
    return undefined;
  },
};

const handlers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "results", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name, arguments: args = {} }) => answers[name](args),
};

const isStubborn = process.argv.includes("--stubborn");
createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, method, params = {} } = JSON.parse(line);
    if (id === undefined || method === undefined) return;
    if (handlers[method] === undefined) return send({ id, error: { code: -32601, message: "Method not found" } });
    const result = handlers[method](params);
    if (result !== undefined) send({ id, result });
  })
  .on("close", () => {
    if (!isStubborn) process.exit(0);
  });

if (isStubborn) {
  process.on("SIGTERM", () => undefined);
  process.on("SIGINT", () => undefined);
  process.stdout.on("error", () => undefined);
  // Exits after a limit in any case, so that no benchmark process runs forever.
  setTimeout(() => process.exit(0), 120_000);
}
