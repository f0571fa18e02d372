// Starts one server process, lists its tools over stdio, and ends its whole process group.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const MAX_STDERR = 16_384;
const MAX_PAGES = 20;

/** `{ tools, info }`, or `{ stderr }` with the error output of a process that did not answer within the limit. */
export async function listServerTools({ command, args, cwd, env, limitMs }) {
  const child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"], detached: true });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    if (stderr.length < MAX_STDERR) stderr += text;
  });
  child.stdin.on("error", () => {});
  const ended = new Promise((resolve) => child.once("error", resolve).once("exit", resolve));
  const limit = new Promise((resolve) => setTimeout(resolve, limitMs).unref());
  try {
    const answer = await Promise.race([initializeAndList(child), ended, limit]);
    return answer?.tools === undefined ? { stderr: stderr.slice(0, MAX_STDERR) } : answer;
  } finally {
    endGroup(child.pid);
  }
}

async function initializeAndList(child) {
  const waiting = new Map();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = parse(line);
    waiting.get(message?.id)?.(message);
  });
  let id = 0;
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const request = (method, params) =>
    new Promise((resolve, reject) => {
      id += 1;
      waiting.set(id, ({ result, error }) =>
        error === undefined ? resolve(result) : reject(new Error(error.message)),
      );
      send({ id, method, params });
    });
  try {
    const { serverInfo } = await request("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "anygpt-directory", version: "1" },
    });
    send({ method: "notifications/initialized" });
    const tools = [];
    let cursor;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const list = await request("tools/list", cursor === undefined ? {} : { cursor });
      tools.push(...(list.tools ?? []));
      cursor = list.nextCursor;
      if (typeof cursor !== "string" || cursor === "") break;
    }
    return { tools, info: serverInfo };
  } catch {
    return undefined;
  }
}

function parse(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function endGroup(pid) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group has ended already.
  }
}
