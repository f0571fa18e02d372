// The client that the suite starts with the address of a scenario's server: an MCP client that uses the gateway with that
// one server, and a simulated browser that approves everything.
// Start: node client.mjs DIST ADDRESS
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createHome, launch } from "./children.mjs";
import { listTools, signIn } from "./client/commands.mjs";
import { UNAUTHORIZED, useEverything } from "./client/use-everything.mjs";

const SERVER = "scenario";
/** The maximum number of sign-ins for the same request. */
const MAX_SIGN_INS = 2;
const METADATA_URL = "https://conformance-test.local/client-metadata.json";

const [dist = "dist", url = ""] = process.argv.slice(2);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? "";
const revision = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION ?? "2025-11-25";
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");

const home = createHome();
const config = home.write({ mode: "full", servers: { [SERVER]: { url, oauth: toOAuth() } } });
try {
  process.exitCode = await run();
} finally {
  home.remove();
}

function toOAuth() {
  const { client_id: clientId, client_secret: clientSecret } = context;
  if (clientId !== undefined) return { clientId, ...(clientSecret && { clientSecret }) };
  return { clientMetadataUrl: METADATA_URL };
}

async function run() {
  const anygpt = (...words) => launch(dist, "anygpt", "mcp", ...words, "--config", config);
  for (let signIns = 0; ; signIns += 1) {
    const failure = (await listTools(anygpt("tools", SERVER, "--json"), home)) ?? (await use());
    if (failure === undefined) return 0;
    if (failure.code !== UNAUTHORIZED || signIns === MAX_SIGN_INS) return say(failure.message);
    const scope = failure.scope === undefined ? [] : ["--scope", failure.scope];
    const why = await signIn(anygpt("auth", "login", SERVER, ...scope, "--no-browser"), home);
    if (why !== undefined) return say(why);
  }
}

/** Returns the error that stopped it, or undefined. */
async function use() {
  const [command, ...args] = launch(dist, "discovery", "--config", config);
  const versionNegotiation = revision === "2026-07-28" ? { mode: { pin: revision } } : undefined;
  const client = new Client(
    { name: "conformance", version: "1.0.0" },
    {
      capabilities: { elicitation: { applyDefaults: true }, sampling: {}, roots: {} },
      ...(versionNegotiation && { versionNegotiation }),
    },
  );
  client.setRequestHandler("elicitation/create", ({ params }) => ({ action: "accept", content: accepted(params) }));
  client.setRequestHandler("sampling/createMessage", () => ({
    role: "assistant",
    model: "none",
    content: { type: "text", text: "yes" },
  }));
  client.setRequestHandler("roots/list", () => ({ roots: [] }));
  await client.connect(new StdioClientTransport({ command, args, env: home.env, stderr: "inherit" }));
  try {
    return await useEverything(client, { scenario, calls: context.toolCalls });
  } finally {
    await client.close();
  }
}

/** The answers of a user who keeps the defaults and accepts everything. */
function accepted({ requestedSchema }) {
  const entries = Object.entries(requestedSchema?.properties ?? {});
  return Object.fromEntries(
    entries.map(([name, { type, default: value }]) => [name, value ?? (type === "boolean" ? true : "yes")]),
  );
}

function say(why) {
  console.error(why);
  return 1;
}
