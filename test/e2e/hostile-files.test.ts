// Named pipes and devices in the place of files that the gateway reads: no process waits for them, and each ends at
// SIGTERM.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { ANYGPT, createHome, type Home, INITIALIZE, spawnGateway, testServer } from "../support/gateway.js";
import { isBefore } from "../support/is-before.js";

/** Much longer than a command takes; a process that waits for a pipe never ends. */
const LIMIT_MS = 60_000;

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0).reverse()) end();
});

function homeWith(config: object): Home {
  const home = createHome(config);
  ends.push(() => home.remove());
  return home;
}

function makePipe(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  execFileSync("mkfifo", [path]);
  return path;
}

interface Finished {
  readonly isDone: boolean;
  readonly code: number | null;
  readonly text: string;
}

async function runCommand(home: Home, words: readonly string[], env: Record<string, string> = {}): Promise<Finished> {
  const child = spawn(process.execPath, [ANYGPT, ...words], { env: { ...home.env, ...env }, cwd: home.folder });
  ends.push(() => child.kill("SIGKILL"));
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  child.stdin.end();
  const isDone = await isBefore(once(child, "close"), LIMIT_MS);
  return { isDone, code: child.exitCode, text };
}

describe.skipIf(process.platform === "win32")("a named pipe", () => {
  it("as the document of an adapter is an error of that adapter, and the gateway ends at SIGTERM", async () => {
    const home = homeWith({});
    const document = makePipe(join(home.folder, "api.json"));
    const config = { servers: { echo: testServer("echo.mjs") }, adapters: { shop: { document } } };
    const other = homeWith(config);
    const gateway = spawnGateway(other);
    ends.push(() => gateway.process.kill("SIGKILL"));
    gateway.send(INITIALIZE);
    await gateway.answer(0);
    gateway.send({ method: "notifications/initialized" });
    const listing = { name: "list_tools", arguments: { server: "shop" } };
    gateway.send({ id: 1, method: "tools/call", params: listing });
    const answer = gateway.answer(1);
    expect(await isBefore(answer, LIMIT_MS)).toBe(true);
    expect((await answer).line).toContain("not a regular file");
    gateway.process.kill("SIGTERM");
    expect(await isBefore(gateway.exit, LIMIT_MS)).toBe(true);
  });

  it.each<[string, (home: Home) => Record<string, string>, readonly string[]]>([
    ["the configuration", (home) => (makePipe(home.config), {}), ["list"]],
    ["the user's .env file", (home) => (makePipe(join(home.folder, ".ai/.env")), {}), ["env", "list"]],
    ["a project's .env file", (home) => (makePipe(join(home.folder, ".env")), {}), ["config", "trust", "--yes"]],
    [
      "the signing key of the audit log",
      (home) => (makePipe(join(home.folder, "state/audit-signing.key")), {}),
      ["audit", "--verify"],
    ],
    [
      "the checkpoint of the audit log",
      (home) => (makePipe(join(home.folder, "state/store.db-checkpoint.json")), {}),
      ["audit", "--verify"],
    ],
    ["the token for HTTP", (home) => (makePipe(join(home.folder, "state/http.token")), {}), ["top", "--once"]],
    [
      "the file with certificate authorities",
      (home) => ({ SSL_CERT_FILE: makePipe(join(home.folder, "ca.pem")) }),
      ["find", "--online", "x"],
    ],
    [
      "a file with arguments",
      (home) => (makePipe(join(home.folder, "a")), {}),
      ["execute", "echo", "add", "--args-file", "a"],
    ],
    ["the npm settings", (home) => (makePipe(join(home.folder, ".npmrc")), {}), ["doctor"]],
  ])("as %s does not block a command", async (_what, place, words) => {
    const home = homeWith({ servers: { echo: testServer("echo.mjs") } });
    const env = place(home);
    const { isDone, text } = await runCommand(home, ["mcp", ...words, "--config", home.config], env);
    expect([isDone, text]).toEqual([true, expect.not.stringContaining("INTERNAL_ERROR")]);
  });
});

describe.skipIf(process.platform === "win32")("a device", () => {
  it("is not read as a configuration", async () => {
    const home = homeWith({});
    const { isDone, code, text } = await runCommand(home, ["mcp", "list", "--config", "/dev/zero"]);
    expect([isDone, code]).toEqual([true, 2]);
    expect(text).toContain("is not a regular file");
  });
});
