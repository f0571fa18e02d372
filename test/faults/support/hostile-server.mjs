// A server that puts the same hostile text into every possible field. Start: node hostile-server.mjs FOLDER
// The text is in FOLDER/words.txt; with FOLDER/changed it returns other tool definitions, with FOLDER/broken it does not
// start. Tools: say, fail, reject, stream, die, destroy.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { send, serve } from "../../servers/rpc.mjs";

const [, , folder] = process.argv;
const words = readFileSync(join(folder, "words.txt"), "utf8");
const of = (field) => `${field} ${words}`;
const long = "x".repeat(1_000_000);

const toSchema = (field) => ({
  type: "object",
  title: of(`${field} title`),
  description: of(`${field} description`),
  $comment: of(`${field} comment`),
  properties: {
    [of("property")]: { type: "string", description: of("property description"), enum: [of("choice"), "b"] },
    plain: { type: "string", default: of("default"), examples: [of("example")], format: of("format") },
  },
});
const toTool = (name, more = {}) => ({
  name,
  title: of(`${name} title`),
  description: of(existsSync(join(folder, "changed")) ? `${name} is another now` : `${name} description`),
  inputSchema: toSchema("input"),
  outputSchema: toSchema("output"),
  annotations: { title: of("annotation"), readOnlyHint: name !== "destroy", destructiveHint: name === "destroy" },
  icons: [{ src: of("data:,icon"), mimeType: of("type") }],
  _meta: { [of("meta")]: of("meta") },
  ...more,
});
const TOOLS = [
  ...["say", "fail", "reject", "stream", "die", "destroy"].map((name) => toTool(name)),
  toTool(of("name")),
  toTool("endless", { description: `${of("endless")} ${long}` }),
];

const result = {
  content: [
    { type: "text", text: of("answer") },
    { type: "resource_link", uri: of("file:///x"), name: of("link"), title: of("link title") },
    { type: of("kind"), [of("member")]: of("value") },
  ],
  structuredContent: { [of("key")]: [of("value"), { deep: of("deeper") }] },
  _meta: { note: of("note") },
};
const acts = {
  say: () => result,
  fail: () => ({ ...result, isError: true }),
  reject: () => {
    throw Object.assign(new Error(of("refusal")), { code: -32602 });
  },
  stream: (progressToken) => {
    send({ method: "notifications/message", params: { level: "warning", logger: of("logger"), data: of("log") } });
    const progress = { progressToken, progress: 1, total: 2, message: of("progress") };
    if (progressToken !== undefined) send({ method: "notifications/progress", params: progress });
    return result;
  },
  die: () => {
    process.stderr.write(`${of("last words")}\n`);
    process.exit(1);
  },
};

if (existsSync(join(folder, "broken"))) {
  process.stderr.write(`${of("no start")}\n`);
  process.stdout.write(`${of("stray")}\n`);
  process.exit(1);
}
process.stderr.write(`${of("greeting")}\n`);
serve(
  {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {}, logging: {} },
      serverInfo: { name: of("server"), title: of("server title"), version: of("1.0"), websiteUrl: of("https://x") },
      instructions: of("instructions"),
    }),
    "logging/setLevel": () => ({}),
    "tools/list": () => ({ tools: TOOLS }),
    "tools/call": ({ name, _meta: { progressToken } = {} }) => (acts[name] ?? acts.say)(progressToken),
  },
  { name: "hostile" },
);
