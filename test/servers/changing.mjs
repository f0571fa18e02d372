// A server whose tools are listed in a file and can change without a notification. A call of a tool that the file does
// not list fails as the servers of the SDKs do. Start: node changing.mjs FILE [rpc|result|forgetful]
// `forgetful`: every call fails, also of a listed tool. The file has one tool name in each line.
import { readFileSync } from "node:fs";
import { serve, text } from "./rpc.mjs";

const [file, style = "rpc"] = process.argv.slice(2);
const names = () => readFileSync(file, "utf8").split("\n").filter(Boolean);

serve(
  {
    "tools/list": () => ({ tools: names().map((name) => ({ name, inputSchema: { type: "object" } })) }),
    "tools/call": ({ name }) => {
      if (name === "trace") {
        const stack = "TypeError: x is not a function\n    at run (/home/ann/server/index.js:12:3)";
        return { ...text(stack), isError: true };
      }
      if (name === "quote") return { ...text("Tool other not found"), isError: true };
      if (style !== "forgetful" && names().includes(name)) return text(`ran ${name}`);
      if (style === "result") return { ...text(`MCP error -32602: Tool ${name} not found`), isError: true };
      throw Object.assign(new Error(`Unknown tool: ${name}`), { code: -32602 });
    },
  },
  { name: "changing", capabilities: { tools: {} } },
);
