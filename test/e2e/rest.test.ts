import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { eventually, isRunning } from "../support/eventually.js";
import { ANYGPT, connectGateway, createHome, descendantsOf, type Home, testServer } from "../support/gateway.js";

const closings: (() => Promise<unknown> | void)[] = [];
afterAll(async () => {
  for (const close of closings.splice(0).reverse()) await close();
});

interface Served {
  readonly child: ChildProcess;
  readonly url: string;
  readonly token: string;
  readonly stderr: readonly string[];
  readonly stdout: () => string;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>;
  /** Resolves with the exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Record<string, unknown>;
}

/** The built gateway over HTTP on a port chosen by the system. */
async function serve(home: Home, options: string[] = ["--port", "0"], node: string[] = []): Promise<Served> {
  const words = [...node, ANYGPT, "mcp", "serve", "--http", ...options, "--config", home.config];
  const child = spawn(process.execPath, words, { env: home.env, stdio: ["ignore", "pipe", "pipe"] });
  const exit = once(child, "exit").then(([code]) => code as number | null);
  closings.push(() => (child.kill("SIGKILL"), exit));
  let stdout = "";
  child.stdout.on("data", (chunk) => (stdout += String(chunk)));
  const stderr: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => stderr.push(line));
  const urlOf = (): string | undefined => /Serving on (http:\S+),/.exec(stderr.join("\n"))?.[1];
  await Promise.race([eventually(() => urlOf() !== undefined), exit]);
  const url = urlOf();
  if (url === undefined) throw new Error(`The gateway does not serve: ${stderr.join("\n")}`);
  const token = readFileSync(join(home.folder, "state/http.token"), "utf8").trim();
  return {
    child,
    url,
    token,
    stderr,
    stdout: () => stdout,
    async post(path, body, headers = {}) {
      const response = await fetch(`${url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
      return { status: response.status, headers: response.headers, json: (await response.json()) as Reply["json"] };
    },
    async stop(signal) {
      child.kill(signal);
      return await exit;
    },
  };
}

function createBankHome(config: object = {}): Home & { ledger: () => string } {
  const home = createHome({});
  closings.push(() => home.remove());
  const file = join(home.folder, "ledger.txt");
  const servers = { bank: { ...testServer("ledger.mjs"), env: { LEDGER: file } } };
  writeFileSync(home.config, JSON.stringify({ servers, ...config }));
  return { ...home, ledger: () => (existsSync(file) ? readFileSync(file, "utf8") : "") };
}

async function run(home: Home, ...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const config = ["--config", home.config];
  return await promisify(execFile)(process.execPath, [ANYGPT, ...words, ...config], { env: home.env }).then(
    (done) => ({ code: 0, ...done }),
    (failed: { code: number; stdout: string; stderr: string }) => failed,
  );
}

describe("anygpt mcp serve --http", () => {
  it("serves on loopback with a token from a file, reports the file on standard error and exits on a signal", async () => {
    const home = createBankHome();
    const served = await serve(home);
    expect(new URL(served.url).hostname).toBe("127.0.0.1");
    const file = join(home.folder, "state/http.token");
    expect(served.stderr.join("\n")).toContain(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { status, json } = await served.post("/api/adapters/bank/tools/create", { name: "alice" });
    expect([status, json]).toEqual([200, { success: true, result: "create: alice" }]);
    expect(home.ledger()).toBe('create {"name":"alice"}\n');
    expect((await fetch(`${served.url}/api/adapters`)).status).toBe(401);
    const processes = descendantsOf(served.child.pid ?? 0);
    expect(processes.length).toBeGreaterThan(0);
    expect(await served.stop("SIGTERM")).toBe(0);
    expect(served.stdout()).toBe("");
    expect(served.stderr.join("\n")).not.toContain(served.token);
    await eventually(() => !processes.some(isRunning));
  });

  it("keeps its token across restarts and records calls with its own actor", async () => {
    const home = createBankHome();
    const first = await serve(home);
    await first.post("/api/adapters/bank/tools/look", { name: "alice" });
    expect(await first.stop("SIGINT")).toBe(0);
    const second = await serve(home);
    expect(second.token).toBe(first.token);
    await second.stop("SIGTERM");
    const { stdout } = await run(home, "mcp", "audit", "--json");
    expect(stdout).toContain('"http"');
  });

  it("finishes a running call after a stop signal", async () => {
    const home = createHome({ servers: { gate: testServer("gate.mjs") } });
    closings.push(() => home.remove());
    const served = await serve(home);
    const file = join(home.folder, "go");
    const call = served.post("/api/adapters/gate/tools/hold", { file });
    await eventually(async () => (await served.post("/api/adapters/gate/tools/held", {})).json["result"] === "1");
    const exit = served.stop("SIGTERM");
    await eventually(() =>
      fetch(`${served.url}/healthz`).then(
        () => false,
        () => true,
      ),
    );
    writeFileSync(file, "");
    expect((await call).status).toBe(200);
    expect(await exit).toBe(0);
  });

  it("reads its address and allowed origins from the configuration", async () => {
    const page = "http://localhost:3000";
    const home = createBankHome({ http: { host: "localhost", port: 0, origins: [page] } });
    const served = await serve(home, []);
    const { headers } = await fetch(`${served.url}/healthz`, { headers: { origin: page } });
    expect(headers.get("access-control-allow-origin")).toBe(page);
    await served.stop("SIGTERM");
  });

  it.each([
    [["--http", "--host", "0.0.0.0"], 2, "0.0.0.0"],
    [["--http", "--port", "70000"], 1, "port"],
    [["--port", "80"], 1, "--http"],
  ])("refuses %j", async (words, code, said) => {
    const failed = await run(createBankHome(), "mcp", "serve", ...words);
    expect([failed.code, failed.stdout]).toEqual([code, ""]);
    expect(failed.stderr).toContain(said);
  });
});

describe("REST and MCP", () => {
  const FREE = { toolRules: [{ pattern: "bank:look", enabled: false }] };
  const STRICT = { policy: { preset: "strict" } };
  const GUARDED = {
    policy: {
      localScopes: ["read"],
      scopes: [{ tools: "bank:delete", required_scopes: ["bank:write"] }],
      idempotency: { requiredFrom: { elsewhere: "medium" } },
      buckets: { few: { calls: 1, perSeconds: 3600 } },
      rateLimits: [{ tools: "bank:look", rate_limit_bucket: "few" }],
    },
  };

  /** The same configuration served over both surfaces, each with its own state. */
  async function openBoth(config: object) {
    const homes = [createBankHome(config), createBankHome(config)] as const;
    const mcp = await connectGateway(homes[0]);
    closings.push(() => mcp.close());
    return { mcp, served: await serve(homes[1]), ledgers: () => homes.map((home) => home.ledger()) };
  }
  const opened = new Map<object, ReturnType<typeof openBoth>>();

  it.each<[string, object, string, object, string, number]>([
    ["denied by the policy", STRICT, "create", { name: "a" }, "POLICY_DENIED", 403],
    ["without the scope", GUARDED, "delete", { name: "a" }, "SCOPE_REQUIRED", 403],
    ["without a key", GUARDED, "create", { name: "a" }, "IDEMPOTENCY_REQUIRED", 400],
    ["over the limit", GUARDED, "look", { name: "a" }, "RATE_LIMITED", 429],
    ["unconfirmed", FREE, "delete", { name: "a" }, "CONFIRMATION_REQUIRED", 403],
    ["of a disabled tool", FREE, "look", { name: "a" }, "TOOL_DISABLED", 403],
    ["with wrong arguments", FREE, "create", { name: true }, "TOOL_VALIDATION_ERROR", 400],
    ["of an unknown tool", FREE, "creat", {}, "TOOL_NOT_FOUND", 404],
  ])("return the same decision for a call %s", async (_, config, tool, args, code, status) => {
    const both = opened.get(config) ?? openBoth(config);
    opened.set(config, both);
    const { mcp, served, ledgers } = await both;
    const overMcp = async () => await mcp.call("execute_tool", { server: "bank", tool, arguments: args });
    const overRest = async () => await served.post(`/api/adapters/bank/tools/${tool}`, args);
    // The limit allows one call and rejects the second.
    for (const go of code === "RATE_LIMITED" ? [overMcp, overRest] : []) await go();
    const { error = {} } = await overMcp();
    const reply = await overRest();
    expect([reply.status, reply.headers.get("content-type")]).toEqual([status, "application/problem+json"]);
    expect(reply.headers.has("retry-after")).toBe(code === "RATE_LIMITED");
    const { message, request_id: _id, hint: _words, approval_id: _approval, retry_after_seconds: _s, ...facts } = error;
    expect(reply.json).toMatchObject({ ...facts, code, executed: "no", detail: message });
    expect(ledgers()).toEqual(["", ""]);
  });
});

describe("the HTTP framework", () => {
  /** Files of the package that the program loads when run with these arguments. */
  async function loadedBy(home: Home, start: (node: string[]) => Promise<unknown>): Promise<string> {
    const list = join(home.folder, "loaded.txt");
    const hooks = join(home.folder, "hooks.mjs");
    writeFileSync(
      hooks,
      `import { appendFileSync } from "node:fs";
export async function load(url, context, next) {
  if (url.includes("/dist/")) appendFileSync(${JSON.stringify(list)}, url + "\\n");
  return await next(url, context);
}
`,
    );
    const preload = join(home.folder, "preload.mjs");
    writeFileSync(
      preload,
      `import { register } from "node:module";\nregister(${JSON.stringify(pathToFileURL(hooks))});\n`,
    );
    await start(["--import", preload]);
    const urls = new Set(readFileSync(list, "utf8").trim().split("\n"));
    return [...urls].map((url) => readFileSync(new URL(url), "utf8")).join("\n");
  }
  const MARK = "Client connection prematurely closed.";

  it("is loaded with --http, and not with stdio or by a command", async () => {
    const home = createBankHome();
    const http = await loadedBy(home, async (node) => await (await serve(home, ["--port", "0"], node)).stop("SIGTERM"));
    expect(http).toContain(MARK);
    const words = ["--config", home.config];
    for (const command of [
      ["mcp", "list", "--json"],
      ["mcp", "serve"],
    ]) {
      const other = createBankHome();
      const text = await loadedBy(other, async (node) => {
        const child = spawn(process.execPath, [...node, ANYGPT, ...command, ...words], { env: home.env });
        child.stdin.end();
        child.stdout.resume();
        child.stderr.resume();
        await once(child, "exit");
      });
      expect(text).not.toContain(MARK);
      expect(text.length).toBeGreaterThan(10_000);
    }
  });
});
