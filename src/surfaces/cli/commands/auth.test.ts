import { chmodSync, existsSync, readFileSync } from "node:fs";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type AuthorizationServer,
  type ProtectedServer,
  startAuthorizationServer,
  startProtectedServer,
} from "../../../../test/support/authorization-server.js";
import { type CliPlace, createCliPlace, type RunOptions } from "../../../../test/support/cli.js";
import { eventually } from "../../../../test/support/eventually.js";
import { createInput, isGroup } from "../command.js";
import { createContext } from "../context.js";
import { reportFailure } from "../failure.js";
import { createProgram } from "../program.js";
import { auth } from "../table-auth.js";

let place: CliPlace;
let authorization: AuthorizationServer;
let server: ProtectedServer;

beforeEach(async () => {
  authorization = await startAuthorizationServer();
  server = await startProtectedServer(authorization);
  place = createCliPlace({
    servers: {
      remote: { type: "http", url: server.url },
      headed: { type: "http", url: server.url, headers: { Authorization: "Bearer mine" } },
      local: { command: "node", args: ["-v"] },
    },
  });
});
afterEach(async () => {
  place.remove();
  await Promise.all([authorization.stop(), server.stop()]);
});

interface Ran {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the commands of `anygpt mcp auth` in this process. */
async function run(argv: string[], options: RunOptions = {}): Promise<Ran> {
  const output = { stdout: "", stderr: "" };
  const sink = (name: "stdout" | "stderr") =>
    new Writable({
      decodeStrings: false,
      write(chunk, _encoding, done) {
        output[name] += String(chunk);
        options.onOutput?.(String(chunk));
        done();
      },
    });
  const isTerminal = options.isTerminal === true;
  const io = {
    stdin: options.stdin instanceof Readable ? options.stdin : Readable.from([Buffer.from(options.stdin ?? "")]),
    stdout: sink("stdout"),
    stderr: sink("stderr"),
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: place.folder,
      ANYGPT_HOME: join(place.folder, "state"),
      ANYGPT_TRUST_PROJECT: "1",
      ...options.env,
    },
    cwd: place.folder,
    isTerminal: { stdin: isTerminal, stdout: isTerminal, stderr: isTerminal },
    columns: 200,
    signal: options.signal ?? new AbortController().signal,
  };
  let exit = 0;
  const toContext = (values: Readonly<Record<string, unknown>>) =>
    createContext(io, { isJson: values["json"] === true, isVerbose: false, isColorless: true });
  const program = createProgram({
    root: { name: "anygpt", summary: "", examples: [], commands: [auth] },
    columns: 200,
    write: () => undefined,
    async run(spec, values) {
      const context = toContext(values);
      const work = (await spec.load())(createInput(values), context);
      exit = (await work.catch((error: unknown) => reportFailure(error, context))) ?? 0;
    },
  });
  await program.parseAsync(["auth", ...argv], { from: "user" });
  return { exit, ...output };
}

/** Acts as the browser: confirms the sign-in as soon as a URL is printed, and follows the redirect. */
function personWith(goBack: (back: URL) => unknown): (text: string) => void {
  let seen = "";
  let isDone = false;
  return (text) => {
    seen += text;
    const link = /^\s*(http:\/\/127\.0\.0\.1:\d+\/authorize\?\S+)\n/m.exec(seen)?.[1];
    if (link === undefined || isDone) return;
    isDone = true;
    void authorization.approve(link).then(goBack);
  };
}

/** The response to a request with another Host header (DNS rebinding). */
async function statusFor(url: URL, host: string): Promise<number> {
  const asking = request(url, { headers: { host } });
  const answered = once(asking, "response") as Promise<[IncomingMessage]>;
  asking.end();
  const [response] = await answered;
  response.resume();
  return response.statusCode ?? 0;
}

const visit = (back: URL) => fetch(back).then((response) => response.text());
const login = (...argv: string[]) => run(["login", "remote", "--no-browser", ...argv], { onOutput: personWith(visit) });
const status = async (...argv: string[]) =>
  (JSON.parse((await run(["status", "--json", ...argv])).stdout) as { servers: Record<string, unknown>[] }).servers;

describe("auth login", () => {
  it("shows the address and signs in when the browser comes back", async () => {
    const { exit, stdout, stderr } = await login();
    expect([exit, stderr]).toEqual([0, expect.stringContaining("Open this URL in a browser to sign in to remote")]);
    expect(stdout).toBe(`✓ Signed in to remote at ${authorization.issuer}.\n  The sign-in is renewed automatically.\n`);
    expect(await status("remote")).toEqual([
      {
        server: "remote",
        actor: "local",
        state: "signed_in",
        issuer: authorization.issuer,
        scopes: [],
        expires_at: expect.any(String),
        renews: true,
      },
    ]);
  });

  it("leaves no token in any file, output or record", async () => {
    const { stdout, stderr } = await login("--json");
    expect(JSON.parse(stdout)).toMatchObject({ server: "remote", state: "signed_in", renews: true });
    const said = `${stdout}${stderr}`;
    const files = (await readdir(place.folder, { recursive: true, withFileTypes: true })).filter((file) =>
      file.isFile(),
    );
    const bytes = await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), "latin1")));
    expect(authorization.secrets.length).toBeGreaterThanOrEqual(3);
    expect(
      authorization.secrets.filter((secret) => said.includes(secret) || bytes.some((text) => text.includes(secret))),
    ).toEqual([]);
    expect(bytes.some((text) => text.includes('"action":"sign_in"'))).toBe(true);
  });

  it("accepts only the pasted redirect URL of this sign-in", async () => {
    const stdin = new PassThrough();
    const onOutput = personWith((back) => {
      const foreign = new URL(back);
      foreign.searchParams.set("state", "forged");
      stdin.write(`\nhello\n${foreign.href}\n${back.href}\n`);
    });
    const { exit, stderr } = await run(["login", "remote", "--no-browser"], { stdin, onOutput });
    expect([exit, stderr.match(/This is not the URL/g)?.length]).toEqual([0, 2]);
    expect((await status("remote"))[0]).toMatchObject({ state: "signed_in" });
  });

  it("rejects unrelated requests to the redirect address", async () => {
    const answers: (number | string)[] = [];
    const onOutput = personWith(async (back) => {
      const forged = new URL(back);
      forged.searchParams.set("state", "forged");
      for (const url of [forged, new URL("/", back), new URL("/callback", back)]) {
        answers.push((await fetch(url)).status);
      }
      answers.push((await fetch(back, { method: "POST" })).status);
      answers.push(await statusFor(back, "evil.example"));
      const page = await fetch(back);
      answers.push(page.status, await page.text());
      answers.push(String(page.headers.get("content-security-policy")));
    });
    expect((await run(["login", "remote", "--no-browser"], { onOutput })).exit).toBe(0);
    expect(answers.slice(0, 6)).toEqual([400, 400, 400, 400, 400, 200]);
    expect(answers[6]).not.toContain("code-");
    expect(answers[7]).toContain("default-src 'none'");
  });

  it("opens the browser without a shell, with the URL as one argument and without secrets", async () => {
    const seen = join(place.folder, "seen.json");
    const opener = place.write(
      "bin/xdg-open",
      `#!${process.execPath}\nrequire("node:fs").writeFileSync(${JSON.stringify(seen)}, JSON.stringify({ argv: process.argv.slice(2), env: process.env }));\nfetch(process.argv[2]);\n`,
    );
    chmodSync(opener, 0o755);
    const env = { PATH: join(place.folder, "bin"), DISPLAY: ":0", SOME_TOKEN: "s3cret" };
    authorization.switches.metadata = (honest) => ({
      ...honest,
      authorization_endpoint: `${String(honest["authorization_endpoint"])}?a=$(touch%20x)&b=;reboot`,
    });
    const { exit, stderr } = await run(["login", "remote"], { env });
    expect([exit, stderr]).toEqual([0, expect.stringContaining("The browser opens 127.0.0.1")]);
    await eventually(() => existsSync(seen));
    const { argv, env: given } = JSON.parse(readFileSync(seen, "utf8")) as { argv: string[]; env: object };
    expect(argv).toHaveLength(1);
    expect(argv[0]).toContain("/authorize?a=%24%28touch+x%29&b=%3Breboot&");
    expect(given).not.toHaveProperty("SOME_TOKEN");
  });

  it("requests more scopes and keeps the granted ones", async () => {
    server.challenge = (honest) => `${honest}, scope="files:read"`;
    await login();
    const { stderr } = await login("--scope", "files:purge");
    expect(stderr).toContain("for files:read files:purge");
    expect((await status("remote"))[0]).toMatchObject({ scopes: ["files:read", "files:purge"] });
  });

  it("belongs to the actor of --actor", async () => {
    await login("--actor", "ann");
    await login();
    expect((await status("remote")).map(({ actor }) => actor)).toEqual(["ann", "local"]);
    expect((await run(["status", "remote"])).stdout).toContain("for ann");
  });

  it("ends if the user denies access", async () => {
    const onOutput = personWith((back) => {
      back.searchParams.delete("code");
      back.searchParams.set("error", "access_denied");
      return visit(back);
    });
    const { exit, stderr } = await run(["login", "remote", "--no-browser"], { onOutput });
    expect([exit, stderr]).toEqual([3, expect.stringContaining("was not granted (access_denied)")]);
    expect(await status("remote")).toEqual([{ server: "remote", state: "none" }]);
  });

  it("ends after the timeout and on Ctrl-C", async () => {
    const late = await run(["login", "remote", "--no-browser", "--timeout", "1"]);
    expect([late.exit, late.stderr]).toEqual([
      3,
      expect.stringContaining("The sign-in to remote was not completed within 1 s."),
    ]);
    const controller = new AbortController();
    const onOutput = personWith(() => controller.abort());
    const stopped = await run(["login", "remote", "--no-browser"], { onOutput, signal: controller.signal });
    expect(stopped.exit).toBe(130);
  });

  it.each([
    ["local", "local is not a remote MCP server, so it has no sign-in.", 1],
    ["headed", "The configuration sets an Authorization header for headed.", 1],
    ["remotee", "Did you mean remote?", 2],
  ])("explains why %s has no sign-in", async (name, message, exit) => {
    const ran = await run(["login", name, "--no-browser"]);
    expect([ran.exit, ran.stderr]).toEqual([exit, expect.stringContaining(message)]);
  });

  it("reports that a port is in use", async () => {
    const { exit, stderr } = await run(["login", "remote", "--port", new URL(server.url).port]);
    expect([exit, stderr]).toEqual([1, expect.stringContaining("(EADDRINUSE)")]);
  });
});

describe("auth status", () => {
  it("lists every remote server without contacting any", async () => {
    const { stdout } = await run(["status"]);
    expect(stdout).toBe(
      [
        "… remote: not signed in",
        "  Sign in with `anygpt mcp auth login remote`.",
        "✓ headed: uses the Authorization header of the configuration",
        "",
      ].join("\n"),
    );
    expect(server.received).toEqual([]);
    expect((await run(["status", "local"])).stdout).toBe("local does not use a sign-in.\n");
    expect((await run(["status", "nobody"])).exit).toBe(2);
  });

  it("reports that the machine key has changed", async () => {
    await login();
    place.write("state/credentials.key", "another key, of thirty-two bytes!!");
    expect((await run(["status", "remote"])).stdout).toContain("cannot be decrypted with the key of this machine");
  });
});

describe("auth logout", () => {
  it("revokes the token at the authorization server and deletes it locally", async () => {
    await login();
    const { exit, stdout } = await run(["logout", "remote"]);
    expect([exit, stdout]).toEqual([0, "✓ Signed out of remote.\n"]);
    const revoked = authorization.requests.filter(({ path }) => path === "/revoke");
    expect(revoked.map(({ form }) => form.get("token_type_hint"))).toEqual(["refresh_token", "access_token"]);
    expect(await status("remote")).toEqual([{ server: "remote", state: "none" }]);
    expect((await run(["logout", "remote"])).stdout).toBe("There is no sign-in to remote.\n");
  });

  it.each([
    ["refuses", "HTTP 500"],
    ["is gone", "HTTP 404"],
  ])("signs out here though the authorization server %s", async (_, reason) => {
    await login();
    authorization.switches.intercept = (path, response) => {
      if (path === "/revoke") response.writeHead(Number(reason.slice(5))).end();
      return path === "/revoke";
    };
    const { exit, stdout } = await run(["logout", "remote", "--json"]);
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ server: "remote", actor: "local", removed: 1, revoked: false, reason });
    expect(await status("remote")).toEqual([{ server: "remote", state: "none" }]);
  });

  it("signs out of a server that is not configured any more", async () => {
    await login();
    place.write(".anygpt/mcp-discovery.config.json", { servers: {} });
    expect((await run(["logout", "remote"])).stdout).toBe("✓ Signed out of remote.\n");
    expect((await run(["logout", "remote"])).exit).toBe(2);
  });
});

it("every command has examples that name it", () => {
  const specs = auth.commands.filter((entry) => !isGroup(entry));
  for (const { name, examples } of specs) {
    for (const example of examples) expect(example).toContain(`anygpt mcp auth ${name}`);
  }
});
