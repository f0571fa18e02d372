// 200 clients of both protocol eras and several actors all use the request id 1: every response reaches the right
// client.
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { testServer } from "../../../support/gateway.js";
import { askModern, type McpCaller, type McpReply, openMcpSession } from "../../../support/mcp-http.js";
import { withDeadline } from "../../support/deadline.js";
import { type FaultHome, inHome } from "../../support/home.js";
import type { RowOptions, RowResult } from "../../support/row.js";

const LAUNCH = fileURLToPath(new URL("../../support/launch.mjs", import.meta.url));
const CLIENTS = 200;
const ACTORS = 4;
const START_LIMIT_MS = 60_000;
const CALL_LIMIT_MS = 120_000;

const tokenOf = (actor: number): string => `actor-${actor}-`.padEnd(40, "x");

/** `count`: the number of calls in total. */
export async function sameIds({ count, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const tokens = Array.from({ length: ACTORS }, (_, actor) => ({
      name: `actor-${actor}`,
      hash: `sha256:${createHash("sha256").update(tokenOf(actor)).digest("hex")}`,
    }));
    home.configure(
      { one: testServer("echo.mjs"), two: testServer("echo.mjs") },
      { http: { port: 0, tokens }, upstreams: { queue: 1000, queueWaitMs: 60_000 } },
    );
    const url = await serve(home, dist);
    const violations: string[] = [];
    const rounds = Math.ceil(count / CLIENTS);
    let answered = 0;
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      const call = await openClient({ url, token: tokenOf(client % ACTORS) }, client % 2 === 0);
      for (let round = 0; round < rounds; round += 1) {
        const text = `client ${client} round ${round}`;
        const args = { server: round % 2 === 0 ? "one" : "two", tool: "echo", arguments: { text } };
        const { status, messages } = await withDeadline(call(args), CALL_LIMIT_MS, text);
        const reported = messages.map(
          ({ id, result }) => `${id} ${result?.content?.[0]?.text ?? JSON.stringify(result)}`,
        );
        if (status !== 200 || reported.join() !== `1 ${text}`)
          violations.push(`${text} was answered with ${status} ${reported.join()}`);
        answered += 1;
        if (answered % 10_000 === 0) onProgress?.(`${answered} of ${rounds * CLIENTS} calls`);
      }
    });
    const from = performance.now();
    await Promise.all(clients);
    const perSecond = Math.round(answered / ((performance.now() - from) / 1000));
    const figures = { clients: CLIENTS, actors: ACTORS, "calls per second": perSecond };
    // The fault is that all clients use the same id; the calls themselves are valid.
    return { title: "200 clients with the same request id", n: answered, injected: CLIENTS, violations, figures };
  });
}

type Ask = (args: object) => Promise<McpReply>;

async function openClient(caller: McpCaller, isModern: boolean): Promise<Ask> {
  if (isModern) return (args) => askModern(caller, "tools/call", { name: "execute_tool", arguments: args }, 1);
  const session = await openMcpSession(caller);
  return (args) => session.ask("tools/call", { name: "execute_tool", arguments: args }, 1);
}

/** Resolves with the address once the gateway listens. */
async function serve(home: FaultHome, dist: string): Promise<string> {
  const words = [LAUNCH, dist, "anygpt", "mcp", "serve", "--http", "--config", home.config];
  const child: ChildProcess = spawn(process.execPath, words, {
    env: home.env,
    cwd: home.folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  home.own(child);
  const lines = createInterface({ input: child.stderr! });
  const listening = new Promise<string>((resolve) =>
    lines.on("line", (line) => {
      const url = /Serving on (http:\S+),/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    }),
  );
  return await withDeadline(listening, START_LIMIT_MS, "the gateway's start");
}
