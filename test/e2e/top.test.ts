import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type RequestListener, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ANYGPT, connectGateway, createHome, type Home, testServer } from "../support/gateway.js";
import { serveGateway } from "../support/served.js";

const run = promisify(execFile);

let home: Home;
beforeEach(() => (home = createHome({ servers: { echo: testServer("echo.mjs") }, http: { port: 1 } })));
afterEach(() => home.remove());

const top = async (...args: string[]): Promise<string> => {
  const argv = [ANYGPT, "mcp", "top", "--config", home.config, ...args];
  return (await run(process.execPath, argv, { env: home.env, cwd: home.folder })).stdout;
};

describe("anygpt mcp top", () => {
  it("shows the calls of a stdio gateway from the audit log", async () => {
    const gateway = await connectGateway(home);
    await gateway.call("execute_tool", { server: "echo", tool: "echo", arguments: { text: "hi" } });
    await gateway.call("execute_tool", { server: "echo", tool: "fail", arguments: {} });
    const text = await top();
    expect(text).toContain("all gateways of this machine");
    expect(text).toMatch(/^2 calls · 0\.2\/s .* · 1 error$/m);
    expect(text).toMatch(/^echo +\d+ s ago +2 +0\.2 .* 1$/m);
    expect(text).not.toContain("\u001b");
    await gateway.close();
  });

  it("shows a gateway served over HTTP, with the local token", async () => {
    const gateway = await serveGateway(home);
    await gateway.ask("/api/adapters/echo/tools/echo", { method: "POST", body: { text: "hi" } });
    const reported = JSON.parse(await top("--url", gateway.url, "--json"));
    expect(reported).toMatchObject({
      origin: gateway.url,
      total: { calls: 1, errors: 0 },
      servers: [{ name: "echo", state: "open", tools: 15, calls: 1 }],
      gateway: { searches: 0 },
    });
    await gateway.stop();
  });

  it("reports an unreachable gateway", async () => {
    await expect(top("--url", "http://127.0.0.1:1", "--once")).rejects.toMatchObject({
      code: 3,
      stderr: expect.stringContaining("127.0.0.1:1 cannot be reached"),
    });
    await expect(top("--url", "somewhere")).rejects.toMatchObject({ code: 1 });
  });
});

describe("another program on the port of the gateway", () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  /** Records the headers of all requests. */
  async function openImpostor(answer: RequestListener): Promise<{ port: number; seen: IncomingHttpHeaders[] }> {
    const seen: IncomingHttpHeaders[] = [];
    const server = createServer((incoming, response) => {
      seen.push(incoming.headers);
      answer(incoming, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(() => (server.closeAllConnections(), new Promise((resolve) => server.close(resolve))));
    return { port: (server.address() as AddressInfo).port, seen };
  }

  const METRICS = "# TYPE anygpt_calls_total counter\nanygpt_calls_total 1\n";

  it.each<[string, RequestListener]>([
    ["answers everything", (_incoming, response) => void response.end(METRICS)],
    [
      "invents a proof",
      (_incoming, response) => void response.writeHead(401, { "anygpt-proof": "A".repeat(43) }).end(),
    ],
    ["answers nothing useful", (_incoming, response) => void response.writeHead(404).end("no")],
  ])("that %s does not get the token", async (_what, answer) => {
    const token = "t".repeat(43);
    mkdirSync(join(home.folder, "state"), { mode: 0o700 });
    writeFileSync(join(home.folder, "state/http.token"), token, { mode: 0o600 });
    const { port, seen } = await openImpostor(answer);
    writeFileSync(home.config, JSON.stringify({ servers: {}, http: { port } }));
    await expect(top("--url", `http://127.0.0.1:${port}`, "--once")).rejects.toMatchObject({
      stderr: expect.stringContaining("did not prove"),
    });
    // Without --url, the audit log is shown instead.
    expect(await top("--once")).toContain("all gateways of this machine");
    expect(seen.length).toBeGreaterThan(1);
    expect(JSON.stringify(seen)).not.toContain(token);
    // A user who names the file sends the token to whoever listens.
    await top("--url", `http://127.0.0.1:${port}`, "--token-file", join(home.folder, "state/http.token")).catch(
      () => "",
    );
    expect(seen.at(-1)?.authorization).toBe(`Bearer ${token}`);
  });

  it("that passes everything on to the gateway does not get the token", async () => {
    const gateway = await serveGateway(home);
    const { port, seen } = await openImpostor((incoming, response) => {
      const target = new URL(incoming.url ?? "/", gateway.url);
      const headers = { ...incoming.headers, host: target.host };
      request(target, { headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      }).end();
    });
    await expect(top("--url", `http://127.0.0.1:${port}`, "--once")).rejects.toMatchObject({
      stderr: expect.stringContaining("did not prove"),
    });
    expect(seen[0]).toHaveProperty("anygpt-challenge");
    expect(JSON.stringify(seen)).not.toContain(gateway.token);
    expect(await top("--url", gateway.url, "--once")).toContain("echo");
    await gateway.stop();
  });
});
