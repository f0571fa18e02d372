import { Client, SSEClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { pause } from "./limit.mjs";

/** Longer than any limit of a theme, so that the client never times out first. */
const REQUEST = { timeout: 300_000 };

/** All gateways are measured with the same client. */
const createClient = () => new Client({ name: "bench-peers", version: "1.0.0" });

export async function connectStdio({ command, args, env, cwd }) {
  const client = createClient();
  const transport = new StdioClientTransport({ command, args, env, cwd, stderr: "pipe" });
  const complaints = keepTail(transport.stderr);
  try {
    await client.connect(transport, REQUEST);
  } catch (error) {
    throw new Error(`${error.message} ${complaints()}`.trim(), { cause: error });
  }
  return toConnection(client, transport.pid);
}

/** For a gateway without stdio: retries the connection until the gateway listens. */
export async function connectSse(url, { pid, hasEnded }) {
  for (;;) {
    const client = createClient();
    try {
      await client.connect(new SSEClientTransport(new URL(url)), REQUEST);
      return toConnection(client, pid);
    } catch (error) {
      if (hasEnded()) throw new Error(`${url} ended before it answered.`, { cause: error });
      await pause(20);
    }
  }
}

function toConnection(client, pid) {
  return {
    pid,
    list: async () => (await client.listTools(undefined, REQUEST)).tools,
    call: (name, args) => client.callTool({ name, arguments: args }, REQUEST),
    close: () => client.close(),
  };
}

/** Reads a stream continuously, so that the writer does not block, and keeps its last part. */
export function keepTail(stream) {
  let tail = "";
  stream?.on("data", (chunk) => (tail = `${tail}${chunk}`.slice(-400)));
  return () => tail.trim();
}

export const textOf = ({ content = [] }) => content.map(({ text }) => text ?? "").join("\n");
