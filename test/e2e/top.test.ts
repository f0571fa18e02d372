import { execFile } from "node:child_process";
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
