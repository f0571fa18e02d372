import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace, type RunOptions } from "../support/cli.js";
import { ROOT } from "../support/gateway.js";
import { type HttpServer, startHttpServer } from "../support/upstreams.js";

const text = { type: "string" };
const RESOLVE = {
  name: "resolve-library-id",
  description: "Finds the id of a library. Call it first.",
  inputSchema: { type: "object", properties: { libraryName: text, query: text }, required: ["libraryName"] },
};
const DOCS = {
  name: "query-docs",
  description: "Gets the documentation of a library.",
  inputSchema: { type: "object", properties: { libraryId: text }, required: ["libraryId"] },
};

let place: CliPlace;
const servers: HttpServer[] = [];

beforeEach(() => {
  place = createCliPlace();
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  place.remove();
});

/** A server whose tools can be changed. */
async function serve(tools: object[], ...access: string[]) {
  const file = place.write("server/tools.json", tools);
  const server = await startHttpServer("keyed-http.mjs", file, ...access);
  servers.push(server);
  return { url: `${server.origin}/mcp`, change: (now: object[]) => writeFileSync(file, JSON.stringify(now)) };
}

const folder = () => join(place.folder, ".ai/tools/mcp");
const read = (toolId: string): string => readFileSync(join(folder(), `${toolId}.yaml`), "utf8");
const discover = (...args: string[]) => place.run("mcp", "discover", ...args);
const discoverWith = (options: RunOptions, ...args: string[]) => place.runWith(options, "mcp", "discover", ...args);

describe("rejected files", () => {
  it("are reported with their reason and the command that fixes it, and are not recommended", async () => {
    const { url, change } = await serve([DOCS]);
    await discover("--url", url, "--name", "c7");
    copyFileSync(join(folder(), "c7_query_docs.yaml"), join(place.folder, "old"));
    change([{ ...DOCS, description: "Gets all documentation." }]);
    await discover("--name", "c7");
    copyFileSync(join(place.folder, "old"), join(folder(), "c7_query_docs.yaml"));
    const { stdout } = await discover("--url", url, "--name", "c7");
    expect(stdout).toContain("c7_query_docs is rejected: rolled-back");
    expect(stdout).toContain("`anygpt mcp verify c7_query_docs --accept`");
    expect(stdout).not.toMatch(/edited by hand|mcp sign|### Usage/);
  });

  it("are listed with their reason in the JSON output", async () => {
    const { url } = await serve([DOCS]);
    await discover("--url", url, "--name", "c7");
    const key = /ed25519:([0-9a-f]{32})/.exec(read("c7_query_docs"))?.[1] ?? "";
    await place.run("mcp", "keys", "revoke", key, "--yes");
    const { json } = await discover("--url", url, "--name", "c7", "--json");
    expect(json()).toMatchObject({ tools: [{ status: "edited", done: "kept", refused: "revoked-key" }] });
  });
});

describe("a failed discovery", () => {
  it.each<[string, string[], string]>([
    [
      "a bearer token",
      ["Authorization", "Bearer t", 'Bearer realm="x"'],
      "--auth-header Authorization --auth-env C7_TOKEN",
    ],
    [
      "OAuth",
      ["Authorization", "Bearer t", 'Bearer resource_metadata="https://x.example/y"'],
      "The server requires an OAuth sign-in. Set `servers.c7` in the configuration.",
    ],
    ["an unknown scheme", ["X-Key", "k", "Custom"], "Find out which header the server requires."],
  ])("names authentication as the cause when the server requires %s", async (_case, access, hint) => {
    const { url } = await serve([], ...access);
    const { exit, stderr } = await discover("--url", url, "--name", "c7");
    expect(exit).toBe(3);
    expect(stderr.replaceAll(/\s+/g, " ")).toContain("The likely cause is the authentication.");
    expect(stderr.replaceAll(/\s+/g, " ")).toContain(hint);
  });

  it("names the address as the cause when no server answers there", async () => {
    const { url } = await serve([]);
    await servers.pop()!.stop();
    const { stderr } = await discover("--url", url, "--name", "c7");
    expect(stderr).toContain(`c7 cannot be reached: no server is listening at ${new URL(url).origin}.`);
    expect(stderr).toContain("The likely cause is a wrong URL or command.");
    expect((await discover("--", "/no/such/program")).stderr).toContain("The likely cause is a wrong URL or command.");
  });

  it("reports the interruption", async () => {
    const stop = new AbortController();
    const server = join(ROOT, "test/servers/faulty.mjs");
    const onOutput = (): void => stop.abort();
    const options = { signal: stop.signal, onOutput, isTerminal: true };
    const { exit, stderr } = await discoverWith(options, "--name", "c7", "--", process.execPath, server, "hang-init");
    expect(exit).not.toBe(0);
    expect(stderr).toContain("The command was interrupted.");
    expect(stderr).not.toContain("likely cause");
  });

  it("names the server as the cause when its process exits", async () => {
    const { stderr } = await discover("--", process.execPath, "-e", "process.exit(7)");
    expect(stderr).toContain("The likely cause is the server itself.");
  });

  it.each<[string, string[], string]>([
    ["neither an address nor a command", [], "No server was named."],
    [
      "an address and a command",
      ["--url", "https://x.example", "--command", "x"],
      "Both a URL and a command were passed",
    ],
    ["a name without files", ["--name", "nobody"], "No signed file in"],
    ["an invalid name", ["--url", "https://x.example", "--name", "A B"], "is not a valid server name"],
    [
      "the reserved name of the gateway",
      ["--url", "https://x.example", "--name", "anygpt"],
      "The name anygpt is reserved",
    ],
    ["an invalid address", ["--url", "x.example"], "is not an http or https URL"],
    ["a header for a program", ["--auth-header", "X", "--", "x"], "Headers cannot be used with a command"],
    [
      "a secret in the address",
      ["--url", "https://x.example/mcp?apiKey=abc"],
      "apiKey in the address looks like a secret",
    ],
    [
      "a secret in a header",
      ["--url", "https://x.example", "--header", "X-Api-Key=abc"],
      "X-Api-Key looks like a secret",
    ],
    ["an incomplete header", ["--url", "https://x.example", "--header", "X-Api-Key"], "is not a valid header"],
    ["an open quote", ["--command", "x 'y"], "is not closed"],
  ])("reports %s", async (_case, args, message) => {
    const { exit, stderr } = await discover(...args);
    expect({ exit, stderr }).toMatchObject({ exit: 1, stderr: expect.stringContaining(message) });
  });

  it("continues with the other servers of a check", async () => {
    const gone = await serve([RESOLVE]);
    await discover("--url", gone.url, "--name", "a");
    await servers.pop()!.stop();
    const { url } = await serve([DOCS]);
    await discover("--url", url, "--name", "b");
    const { exit, stdout, stderr } = await discover("--check");
    expect(exit).toBe(3);
    expect(stderr).toContain("a cannot be reached");
    expect(stdout).toContain("## MCP Discovery Check: b");
  });
});

describe("at a terminal", () => {
  const TERMINAL = { isTerminal: true, env: { NO_COLOR: "1" } };

  it("confirms all variables that are set", async () => {
    const { url } = await serve([DOCS]);
    const words = ["--url", url, "--name", "c7", "--header", "A=${C7_A}", "B=${C7_B}"];
    const { stdout } = await discoverWith({ env: { C7_A: "1", C7_B: "2" } }, ...words);
    expect(stdout).toContain("C7_A and C7_B are set.");
  });

  it("asks for the missing address", async () => {
    const { url } = await serve([DOCS]);
    const { stderr, stdout } = await discoverWith({ ...TERMINAL, stdin: `${url}\n` }, "--yes");
    expect(stderr).toContain("URL of the server, or the command that starts it:");
    expect(stdout).toContain("## MCP Discovery Complete: server");
  });

  it("asks for a choice between the address and the command if both are given", async () => {
    const { url } = await serve([DOCS]);
    const both = ["--url", url, "--name", "c7", "--yes", "--", "/no/such/program"];
    const { stdout } = await discoverWith({ ...TERMINAL, stdin: "url\n" }, ...both);
    expect(stdout).toContain("## MCP Discovery Complete: c7");
    expect((await discoverWith({ ...TERMINAL, stdin: "" }, ...both)).exit).toBe(1);
  });

  it.each([
    ["n\n", false],
    ["y\n", true],
  ])("asks before it writes and signs files; after %j files exist: %s", async (stdin, isWritten) => {
    const { url } = await serve([DOCS]);
    const { exit, stderr } = await discoverWith({ ...TERMINAL, stdin }, "--url", url, "--name", "c7");
    expect([exit, stderr.includes("Nothing was written.")]).toEqual(isWritten ? [0, false] : [1, true]);
    expect(stderr).toMatch(/Write tool files of c7 to \S+, signed with your\s+key\? \[y\/N\]/);
    expect(existsSync(join(place.folder, ".ai/tools/mcp"))).toBe(isWritten);
    const { records } = (await place.run("mcp", "audit", "--json")).json() as { records: unknown[] };
    expect(records).toHaveLength(isWritten ? 1 : 0);
  });

  it("fits its table into a narrow terminal", async () => {
    const { url } = await serve([{ ...DOCS, description: "word ".repeat(60) }]);
    const { stdout } = await discoverWith({ isTerminal: true, columns: 50 }, "--url", url, "--name", "c7", "--yes");
    const rows = stdout.split("\n").filter((row) => row.startsWith("|"));
    expect(rows).toHaveLength(3);
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(50);
  });
});
