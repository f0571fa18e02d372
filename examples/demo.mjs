// Four real MCP servers behind the gateway, used through a real MCP client: catalog, search, details, execution, tokens.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { encode } from "gpt-tokenizer/encoding/o200k_base";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "anygpt-demo-"));
const started = performance.now();
const tokens = (value) => encode(typeof value === "string" ? value : JSON.stringify(value)).length;
const say = (text = "") => process.stdout.write(`${text}\n`);
const step = (title) => say(`\n── ${title} ${"─".repeat(Math.max(0, 74 - title.length))}`);

const serverFile = (name) => join(root, "node_modules/@modelcontextprotocol", `server-${name}`, "dist/index.js");
const node = (name, ...args) => ({ command: process.execPath, args: [serverFile(name), ...args] });
const servers = {
  everything: { ...node("everything"), description: "Every feature of the protocol, for testing clients" },
  filesystem: { ...node("filesystem", folder), description: "Read and write files" },
  memory: {
    ...node("memory"),
    env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") },
    description: "A knowledge graph",
  },
  thinking: { ...node("sequential-thinking"), description: "Step by step reasoning" },
};
writeFileSync(join(folder, "config.json"), JSON.stringify({ servers }));
writeFileSync(join(folder, "notes.txt"), "The gateway works.\n");

async function connect(name, command, args, env = {}) {
  const client = new Client({ name, version: "1.0.0" });
  const transport = new StdioClientTransport({
    command,
    args,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    stderr: "ignore",
  });
  await client.connect(transport);
  return client;
}

async function ask(gateway, name, args) {
  const from = performance.now();
  const result = await gateway.callTool({ name, arguments: args });
  const text = result.content.map((item) => item.text ?? `[${item.type}]`).join("\n");
  say(`› ${name}(${JSON.stringify(args)})`);
  say(`  ${text}`);
  say(`  (${tokens(text)} tokens, ${Math.round(performance.now() - from)} ms)`);
  return text;
}

try {
  step("An agent connects to one server and sees five tools");
  const gateway = await connect(
    "demo",
    process.execPath,
    [join(root, "bin/discovery.js"), "--config", join(folder, "config.json")],
    {
      ANYGPT_HOME: join(folder, "state"),
      ANYGPT_DAEMON: "0",
    },
  );
  const { tools } = await gateway.listTools();
  for (const tool of tools) say(`  ${tool.name.padEnd(17)} ${tool.description}`);
  say(`\n  instructions: ${gateway.getInstructions()}`);

  step("It searches for what it needs");
  const searched = await ask(gateway, "search_tools", { query: "read a text file" });
  step("It reads the details of one tool");
  const detailed = await ask(gateway, "get_tool_details", { server: "filesystem", tool: "read_text_file" });
  step("It runs the tool");
  await ask(gateway, "execute_tool", {
    server: "filesystem",
    tool: "read_text_file",
    arguments: { path: join(folder, "notes.txt") },
  });
  step("An invalid call returns the valid parameters");
  await ask(gateway, "execute_tool", {
    server: "filesystem",
    tool: "read_text_file",
    arguments: { file: "notes.txt" },
  });
  step("It lists the servers behind the gateway");
  await ask(gateway, "list_mcp_servers", {});

  step("Tokens saved");
  let direct = 0;
  let count = 0;
  for (const [name, { command, args, env }] of Object.entries(servers)) {
    const client = await connect("direct", command, args, env);
    const listed = (await client.listTools()).tools;
    direct += tokens(listed);
    count += listed.length;
    await client.close();
    if (listed.length === 0) throw new Error(`${name} lists no tools`);
  }
  const ours = tokens(tools);
  say(`  ${count} tools listed directly:       ${direct} tokens in every conversation`);
  say(`  five meta-tools instead:        ${ours} tokens`);
  say(`  with one search and one lookup:  ${ours + tokens(searched) + tokens(detailed)} tokens`);
  say(
    `  saved:                          ${Math.round((1 - ours / direct) * 100)} % up front, and more with every server added`,
  );
  await gateway.close();
  say(`\nDone in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
