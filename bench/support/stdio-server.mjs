import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/**
 * A server as a child process with raw JSON lines, so that no client library affects the measured time.
 * @param {string[]} command program file of Node and its arguments
 */
export function startServer(command, env) {
  const child = spawn(process.execPath, command, { env, stdio: "pipe" });
  const waiting = new Map();
  let nextId = 0;
  let complaints = "";
  running.add(child);
  child.stderr.on("data", (chunk) => (complaints = `${complaints}${chunk}`.slice(-1000)));
  const failAll = (reason) => {
    for (const { reject } of waiting.values()) reject(new Error(reason));
    waiting.clear();
  };
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = parse(line);
    if (message === undefined) return failAll(`${command[0]} wrote a line that is not JSON.`);
    const settle = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error === undefined) settle?.resolve(message.result);
    else settle?.reject(new Error(message.error.message));
  });
  child.stdin.on("error", () => undefined);
  const ended = new Promise((resolve) => {
    child.once("close", () => {
      running.delete(child);
      failAll(`${command[0]} ended before it answered. ${complaints}`.trim());
      resolve();
    });
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const request = (method, params = {}) =>
    new Promise((resolve, reject) => {
      nextId += 1;
      waiting.set(nextId, { resolve, reject });
      send({ id: nextId, method, params });
    });

  return {
    pid: child.pid,
    request,
    /** Performs the handshake and returns the answer to `initialize`. */
    async open() {
      const answer = await request("initialize", {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "bench", version: "1.0.0" },
      });
      send({ method: "notifications/initialized" });
      return answer;
    },
    async callText(name, args) {
      const { content } = await request("tools/call", { name, arguments: args });
      return content[0].text;
    },
    async close() {
      child.stdin.end();
      const late = setTimeout(() => child.kill("SIGKILL"), 5000);
      await ended;
      clearTimeout(late);
    },
  };
}

function parse(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Opens the server, passes it to `use`, and always ends it afterwards. */
export async function withServer(command, env, use) {
  const server = startServer(command, env);
  try {
    return await use(server, await server.open());
  } finally {
    await server.close();
  }
}
