// A server that offers and answers what a file says. Start: node scripted.mjs FILE WORDS…
// The file: {"tools": "the list as JSON", "results": {TOOL: RESULT}}. A tool without a result answers with what it was given.
// The list is passed on as it is: what nobody can read or write by recursion may stand in it.
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
