// Serves tool definitions from a file. Start: node catalog.mjs FILE NAME LEDGER; every start adds a line to the ledger.
import { appendFileSync, readFileSync } from "node:fs";
import { serve, text } from "../../../test/servers/rpc.mjs";

const [file, name, ledger] = process.argv.slice(2);
appendFileSync(ledger, `${process.pid}\n`);
const tools = JSON.parse(readFileSync(file, "utf8"));

serve(
  { "tools/list": () => ({ tools }), "tools/call": (call) => text(`called ${call.name}`) },
  { name, capabilities: { tools: {} } },
);
