import { Client, SSEClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { pause } from "./limit.mjs";

/** Longer than any limit of a theme: the client is never the one that gives up. */
const REQUEST = { timeout: 300_000 };

/** The same client for everybody. */
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

/** For a gateway that has no stdio: it is asked again until it listens. */
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

/** Drains a stream, so that nobody waits on it, and remembers its end. */
export function keepTail(stream) {
  let tail = "";
  stream?.on("data", (chunk) => (tail = `${tail}${chunk}`.slice(-400)));
  return () => tail.trim();
}

export const textOf = ({ content = [] }) => content.map(({ text }) => text ?? "").join("\n");
