// A server with side effects: every call that takes effect adds a line to the file LEDGER. Start: node ledger.mjs
import { appendFileSync } from "node:fs";
import { serve, text } from "./rpc.mjs";

const tool = (name, description, annotations) => ({
  name,
  description,
  inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  ...(annotations === undefined ? {} : { annotations }),
});

serve(
  {
    "tools/list": () => ({
      tools: [
        tool("delete", "Deletes an account.", { destructiveHint: true }),
        tool("create", "Creates an account."),
        tool("look", "Looks at an account.", { readOnlyHint: true }),
      ],
    }),
    "tools/call": ({ name, arguments: args }) => {
      if (name !== "look") appendFileSync(process.env.LEDGER, `${name} ${JSON.stringify(args)}\n`);
      return text(`${name}: ${args.name}`);
    },
  },
  { name: "ledger" },
);
