import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ANYGPT, type Home } from "./gateway.js";

/** The built gateway over HTTP on a free port, with JSON logs. */
export interface Served {
  readonly url: string;
  readonly token: string;
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  ask(path: string, init?: { method?: string; body?: object; headers?: Record<string, string> }): Promise<Response>;
  /** Stops it as a service manager does, and returns its exit code. */
  stop(): Promise<number | null>;
}

export async function serveGateway(home: Home, env: Record<string, string> = {}): Promise<Served> {
  const args = ["mcp", "serve", "--http", "--port", "0", "--config", home.config];
  const logging = ["--log-format", "json", "--log-level", "debug"];
  const child = spawn(process.execPath, [ANYGPT, ...args, ...logging], {
    env: { ...home.env, ...env },
    cwd: home.folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(child, "exit") as Promise<[number | null]>;
  const lines: Record<string, unknown>[] = [];
  const reader = createInterface({ input: child.stderr });
  const url = await new Promise<string>((resolve, reject) => {
    reader.on("line", (line) => {
      lines.push(JSON.parse(line) as Record<string, unknown>);
      const found = /Serving on (\S+),/.exec(String(lines.at(-1)?.["message"]))?.[1];
      if (found !== undefined) resolve(found);
    });
    void exited.then(([code]) => reject(new Error(`The gateway exited with ${code}: ${JSON.stringify(lines)}`)));
  });
  const token = readFileSync(join(home.env["ANYGPT_HOME"] ?? "", "http.token"), "utf8").trim();
  return {
    url,
    token,
    lines,
    ask: (path, { method = "GET", body, headers = {} } = {}) =>
      fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    async stop() {
      child.kill("SIGTERM");
      return (await exited)[0];
    },
  };
}
