// A server that sends list change notifications. Start: node changing-server.mjs FOLDER
// Every list adds a line to FOLDER/lists.log. `burst` sends this many notifications at once, `echo` sends one this many
// milliseconds after every list from now on, `change` makes this many real changes one after the other.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { send, serve, text } from "../../servers/rpc.mjs";

const [, , folder] = process.argv;
const tool = (name) => ({ name, description: `The tool ${name}.`, inputSchema: { type: "object" } });
const announce = () => send({ method: "notifications/tools/list_changed" });
let added = 0;
let echoMs;

const acts = {
  burst: ({ times }) => {
    for (let count = 0; count < times; count += 1) announce();
  },
  echo: ({ ms }) => {
    echoMs = ms;
    announce();
  },
  change: async ({ times, every }) => {
    for (let count = 0; count < times; count += 1) {
      added += 1;
      announce();
      await new Promise((resolve) => setTimeout(resolve, every));
    }
  },
};

serve({
  "tools/list": () => {
    appendFileSync(join(folder, "lists.log"), "list\n");
    if (echoMs !== undefined) setTimeout(announce, echoMs);
    const more = Array.from({ length: added }, (_, number) => tool(`added${number + 1}`));
    return { tools: [...Object.keys(acts), ...more.map(({ name }) => name)].map(tool) };
  },
  "tools/call": async ({ name, arguments: args = {} }) => {
    await acts[name]?.(args);
    return text(name);
  },
});
