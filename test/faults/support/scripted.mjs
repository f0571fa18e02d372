// A server with the tools and results of a file. Start: node scripted.mjs FILE WORDS…
// The file: {"tools": "the list as JSON", "results": {TOOL: RESULT}}. A tool without a result returns its arguments.
// The list is passed on as text: it may be too deep for a recursive parser or serializer.
import { readFileSync } from "node:fs";
import { serve, text } from "../../servers/rpc.mjs";

const [, , file, ...words] = process.argv;
const { tools, results = {} } = JSON.parse(readFileSync(file, "utf8"));

serve(
  {
    "tools/list": (_, id) =>
      void process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"tools":${tools}}}\n`),
    "tools/call": ({ name, arguments: args = {} }) =>
      results[name] ?? text(JSON.stringify({ name, args, words, env: process.env, pid: process.pid })),
  },
  { name: "scripted" },
);
