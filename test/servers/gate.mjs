// A server whose calls are answered when a file appears. Start: node gate.mjs NAME
import { existsSync } from "node:fs";
import { serve, text } from "./rpc.mjs";

const name = process.argv[2] ?? "gate";
const tool = (name, description, properties = {}) => ({
  name,
  description,
  inputSchema: { type: "object", properties, required: Object.keys(properties) },
});

const tools = [
  tool(`only_${name.replace(/\W/g, "_")}`, `The tool that only ${name} has.`),
  tool("hold", "Answers when the file exists.", { file: { type: "string" } }),
  tool("held", "Returns the number of calls that it holds."),
  tool("whoami", "Returns its name, its process id and a variable."),
];

let held = 0;

async function hold({ file }) {
  held += 1;
  while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 20));
  held -= 1;
  return text(`${name} ${process.pid}`);
}

serve({
  "tools/list": () => ({ tools }),
  "tools/call": ({ name: called, arguments: args }) => {
    if (called === "hold") return hold(args);
    return text(called === "held" ? held : `${name} ${process.pid} ${process.env.SECRET ?? "-"}`);
  },
});
