import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace, type RunOptions } from "../support/cli.js";
import { npmServer } from "../support/gateway.js";
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
const names = (): string[] => readdirSync(folder()).sort();
const discover = (...args: string[]) => place.run("mcp", "discover", ...args);
const discoverWith = (options: RunOptions, ...args: string[]) => place.runWith(options, "mcp", "discover", ...args);
const versionOf = (toolId: string) => /^version: "(.*)"$/m.exec(read(toolId))?.[1];

/** Content, modification time and inode of every file. */
function picture(): Record<string, string> {
  return Object.fromEntries(
    names().map((name) => {
      const path = join(folder(), name);
      return [name, `${statSync(path).mtimeMs} ${statSync(path).ino} ${readFileSync(path, "utf8")}`];
    }),
  );
}

describe("discover", () => {
  const KEY = { env: { CONTEXT7_API_KEY: "ctx7-key" } };

  it("writes signed files for a server that requires a custom header", async () => {
    const { url } = await serve([RESOLVE, DOCS], "CONTEXT7_API_KEY", "ctx7-key");
    const args = ["--url", url, "--name", "context7", "--auth-header", "CONTEXT7_API_KEY"];
    const { exit, stdout, stderr } = await discoverWith(KEY, ...args);
    expect(exit).toBe(0);
    expect(stderr).not.toContain("ctx7-key");
    expect(names()).toEqual(["context7_query_docs.yaml", "context7_resolve_library_id.yaml"]);
    const file = read("context7_resolve_library_id");
    expect(file).toMatch(
      /^# kiwi-mcp:validated:[^\n]+\n# anygpt:ed25519:[^\n]+\ntool_id: context7_resolve_library_id\n/,
    );
    expect(file).toContain("executor_id: mcp_http_runtime");
    expect(file).toContain('CONTEXT7_API_KEY: "${CONTEXT7_API_KEY}"');
    expect(file + stdout).not.toContain("ctx7-key");
    expect(stdout).toContain("## MCP Discovery Complete: context7");
    expect(stdout).toMatch(/\| context7_query_docs +\| Gets the documentation of a library\. +\|/);
    expect(stdout).toContain("2 files written to ~/.ai/tools/mcp.");
    expect(stdout).toContain("This key was just created.");
    expect(stdout).toContain("anygpt mcp run context7_resolve_library_id libraryName=VALUE");
    expect((await place.run("mcp", "verify")).exit).toBe(0);
  });

  it("names the variable to set for a server that requires authentication, and the next command", async () => {
    const { url } = await serve([RESOLVE], "X-Subscription-Token", "brave-key");
    const args = [
      "--url",
      url,
      "--name",
      "brave",
      "--auth-header",
      "X-Subscription-Token",
      "--auth-env",
      "BRAVE_API_KEY",
    ];
    const first = await discover(...args);
    expect(first.exit).toBe(3);
    expect(first.stderr).toContain(
      "The likely cause is the authentication. The server needs BRAVE_API_KEY (API key for brave). Set the environment variable BRAVE_API_KEY",
    );
    place.write(".ai/.env", "BRAVE_API_KEY=brave-key\n");
    const second = await discover(...args);
    expect(second.stdout).toContain("BRAVE_API_KEY is set.");
    expect(read("brave_resolve_library_id")).toContain('X-Subscription-Token: "${BRAVE_API_KEY}"');
    const third = await discover("--url", url, "--name", "brave");
    expect(third.stdout).toContain("Nothing was written. 1 file unchanged.");
  });

  it("writes files for a stdio server", async () => {
    const { command, args } = npmServer("filesystem", place.folder);
    const { exit, stdout } = await discover("--name", "filesystem", "--", command, ...args);
    expect(exit).toBe(0);
    expect(names()).toContain("filesystem_read_text_file.yaml");
    expect(read("filesystem_list_directory")).toContain("executor_id: mcp_stdio_runtime");
    expect(stdout).toContain("No authentication required.");
    const again = await discover("--name", "filesystem", "--check", "--json");
    expect({ exit: again.exit, json: again.json() }).toMatchObject({ exit: 0, json: { drift: false } });
  });
});

describe("a repeated discovery", () => {
  it("leaves the files of an unchanged server untouched, with content and times", async () => {
    const { url } = await serve([RESOLVE, DOCS]);
    await discover("--url", url, "--name", "c7");
    const before = picture();
    const { exit, stdout } = await discover("--name", "c7");
    expect(exit).toBe(0);
    expect(stdout).toContain("Nothing was written. 2 files unchanged.");
    expect(picture()).toEqual(before);
  });

  const withProperty = (required: string[]) => ({
    ...DOCS,
    inputSchema: { type: "object", properties: { libraryId: text, topic: text }, required },
  });
  it.each([
    ["a changed description", { ...DOCS, description: "Gets all documentation." }, "1.0.1"],
    ["a new optional parameter", withProperty(["libraryId"]), "1.1.0"],
    ["a new required parameter", withProperty(["libraryId", "topic"]), "2.0.0"],
  ])("increases the version for %s and shows the change", async (_case, changed, version) => {
    const { url, change } = await serve([RESOLVE, DOCS]);
    await discover("--url", url, "--name", "c7");
    const before = picture();
    change([RESOLVE, changed]);
    const check = await discover("--check");
    expect(check.exit).toBe(1);
    expect(check.stdout).toContain(`c7_query_docs has changed: 1.0.0 → ${version}`);
    expect(check.stdout).toContain("differ from the server.");
    expect(picture()).toEqual(before);
    const { stdout } = await discover("--name", "c7");
    expect(versionOf("c7_query_docs")).toBe(version);
    expect(stdout).toMatch(/│ .*(description|topic)/);
    expect(picture()["c7_resolve_library_id.yaml"]).toBe(before["c7_resolve_library_id.yaml"]);
    expect((await discover("--check")).exit).toBe(0);
  });

  it("keeps the file of a removed tool until an option asks to delete it", async () => {
    const { url, change } = await serve([RESOLVE, DOCS]);
    await discover("--url", url, "--name", "c7");
    change([RESOLVE]);
    const first = await discover("--name", "c7");
    expect(first.stdout).toContain("c7_query_docs no longer exists on the server");
    expect(names()).toHaveLength(2);
    await discover("--name", "c7", "--prune");
    expect(names()).toEqual(["c7_resolve_library_id.yaml"]);
  });

  it("never gives the file of a returning tool a lower version than before", async () => {
    const { url, change } = await serve([DOCS]);
    await discover("--url", url, "--name", "c7");
    change([{ ...DOCS, description: "Other." }]);
    await discover("--name", "c7");
    change([RESOLVE]);
    await discover("--url", url, "--name", "c7", "--prune");
    change([DOCS]);
    await discover("--name", "c7");
    expect(versionOf("c7_query_docs")).toBe("2.0.0");
    expect((await place.run("mcp", "verify", "c7_query_docs")).exit).toBe(0);
  });

  it("writes nothing in a dry run, not even a key", async () => {
    const { url } = await serve([RESOLVE]);
    const { stdout } = await discover("--url", url, "--name", "c7", "--dry-run");
    expect(stdout).toContain("1 file would be written");
    expect(readdirSync(place.folder)).not.toContain(".ai");
    expect(() => readdirSync(join(place.folder, "state/keys"))).toThrow("ENOENT");
  });
});

describe("files edited by hand", () => {
  const edit = (toolId: string, from: string | RegExp, to: string): void => {
    writeFileSync(join(folder(), `${toolId}.yaml`), read(toolId).replace(from, to));
  };

  it("are shown and left unchanged, signed or not, and replaced with --force", async () => {
    const { url } = await serve([RESOLVE, DOCS]);
    await discover("--url", url, "--name", "c7");
    edit("c7_query_docs", "Gets the documentation", "Gets the words");
    const unsigned = read("c7_query_docs");
    const first = await discover("--url", url, "--name", "c7");
    expect(first.stdout).toContain("c7_query_docs was edited by hand");
    expect(read("c7_query_docs")).toBe(unsigned);
    expect((await discover("--check")).exit).toBe(1);

    expect((await place.run("mcp", "sign", "c7_query_docs", "--yes")).exit).toBe(0);
    const signed = read("c7_query_docs");
    const second = await discover("--name", "c7");
    expect(second.stdout).toContain("c7_query_docs was edited by hand");
    expect(second.stdout).toContain("Gets the words");
    expect(read("c7_query_docs")).toBe(signed);
    expect((await discover("--check")).exit).toBe(0);

    await discover("--name", "c7", "--force");
    expect(read("c7_query_docs")).toContain("Gets the documentation");
    expect((await place.run("mcp", "verify")).exit).toBe(0);
  });

  it("never add their content to a signed file", async () => {
    const { url, change } = await serve([RESOLVE]);
    await discover("--url", url, "--name", "c7");
    edit("c7_resolve_library_id", /^ {2}timeout: 30$/m, '  timeout: 30\n  headers:\n    X-Steal: "${SECRET}"');
    edit(
      "c7_resolve_library_id",
      /^input_schema:/m,
      "env_requirements:\n  - name: SECRET\n    description: x\ninput_schema:",
    );
    change([RESOLVE, DOCS]);
    await discover("--url", url, "--name", "c7");
    expect(read("c7_resolve_library_id")).toContain("X-Steal");
    expect(read("c7_query_docs")).not.toContain("SECRET");
    await discover("--url", url, "--name", "c7", "--force");
    expect(read("c7_resolve_library_id")).not.toContain("SECRET");
    expect((await place.run("mcp", "verify")).exit).toBe(0);
  });

  it("do not provide the server address if their signature is invalid", async () => {
    const { url } = await serve([RESOLVE]);
    await discover("--url", url, "--name", "c7");
    edit("c7_resolve_library_id", /127\.0\.0\.1/g, "127.0.0.2");
    const { exit, stderr } = await discover("--name", "c7");
    expect(exit).toBe(1);
    expect(stderr).toContain("No signed file in");
  });
});

describe("a check", () => {
  const edit = (toolId: string, from: string | RegExp, to: string): void =>
    writeFileSync(join(folder(), `${toolId}.yaml`), read(toolId).replace(from, to));

  it("fails for a rejected file, whichever server the file names", async () => {
    const { url } = await serve([RESOLVE, DOCS]);
    await discover("--url", url, "--name", "c7");
    await discover("--url", `${url}?other`, "--name", "d7");
    expect((await discover("--check")).exit).toBe(0);
    for (const id of ["d7_query_docs", "d7_resolve_library_id"]) edit(id, "library.", "library!");
    const check = await discover("--check");
    expect(check.exit).toBe(1);
    expect(check.stdout).toContain("d7_query_docs.yaml was changed since it was signed.");
    for (const name of names().filter((one) => one.startsWith("d7_"))) rmSync(join(folder(), name));
    edit("c7_query_docs", /^ {2}mcp_server: c7$/m, "  mcp_server: other");
    place.write(".ai/tools/mcp/Notes.yaml", "notes");
    for (const words of [["--check"], ["--check", "--name", "c7"]]) {
      const { exit, stdout } = await discover(...words);
      expect(exit).toBe(1);
      expect(stdout).toMatch(/✗ tampered: .*c7_query_docs\.yaml was changed since it was signed\./);
      expect(stdout).toMatch(/✗ wrong-name: .*Notes\.yaml/);
    }
    const { exit, json } = await discover("--check", "--json");
    expect(exit).toBe(1);
    expect(json()).toMatchObject({ drift: true, refused: [{ reason: "wrong-name" }, { reason: "tampered" }] });
  });

  it("reports an untrusted key and how to trust it", async () => {
    const { url } = await serve([RESOLVE, DOCS]);
    await discover("--url", url, "--name", "c7");
    const line = (await place.run("mcp", "keys", "export")).stdout.trim();
    const keyId = /ed25519:([0-9a-f]{32})/.exec(read("c7_query_docs"))?.[1];
    rmSync(join(place.folder, "state"), { recursive: true });
    const { exit, stdout, stderr } = await discover("--check");
    expect(exit).toBe(1);
    expect(stderr).toBe("");
    expect(stdout).toContain(`✗ 2 files are signed with the key ${keyId}, which is not trusted here:\n`);
    expect(stdout).toContain("`anygpt mcp keys trust 'anygpt-ed25519 KEY NAME' --yes`");
    expect((await discover("--check", "--name", "c7")).stderr).toContain("which is not trusted here");
    expect((await place.run("mcp", "keys", "trust", line, "--yes")).exit).toBe(0);
    expect((await discover("--check")).exit).toBe(0);
  });

  it("reports a tool that cannot be written as a file and does not fail", async () => {
    const odd = { ...DOCS, name: "odd", inputSchema: { type: "object", properties: { constructor: text } } };
    const { url } = await serve([RESOLVE, odd]);
    await discover("--url", url, "--name", "c7");
    const { exit, stdout } = await discover("--check");
    expect(stdout).toContain("c7_odd cannot be written");
    expect(exit).toBe(0);
  });
});

describe("the outcome of a discovery", () => {
  it("is recorded in the audit log", async () => {
    const { url } = await serve([DOCS]);
    await discover("--url", url, "--name", "c7");
    const { stdout } = await place.run("mcp", "audit", "--json");
    expect(stdout).toContain('"sign_tool_file"');
    expect(stdout).toContain("c7_query_docs.yaml 1.0.0");
  });

  it("is shown as a failure if it failed", async () => {
    const { url } = await serve([DOCS]);
    mkdirSync(join(folder(), "c7_query_docs.yaml"), { recursive: true });
    const { exit, stdout } = await discover("--url", url, "--name", "c7", "--force");
    expect(exit).not.toBe(0);
    expect(stdout).toContain("## MCP Discovery Incomplete: c7");
    expect(stdout).toMatch(/✗ 1 file could not be written/);
    expect(stdout).not.toMatch(/Complete|### Usage|✓ Nothing/);
    const { json } = await discover("--url", url, "--name", "c7", "--force", "--json");
    expect(json()).toMatchObject({ success: false, tools_created: [] });
  });
});

describe("tools with unusual names", () => {
  it("get separate files inside the folder", async () => {
    const odd = ["../x", "a/b", "a.b", "删除", "x".repeat(200), "getUser", "get_user", "CON", "a|b", "$(rm)"];
    const { url } = await serve(odd.map((name) => ({ ...DOCS, name })));
    const { exit } = await discover("--url", url, "--name", "odd");
    expect(exit).toBe(0);
    expect(names()).toHaveLength(odd.length);
    expect(names().every((name) => /^odd_[a-z0-9_]+\.yaml$/.test(name))).toBe(true);
    const before = picture();
    await discover("--name", "odd");
    expect(picture()).toEqual(before);
  });
});

describe("the .env file", () => {
  const KEYED = ["--auth-header", "X-Key", "--auth-env", "C7_KEY"];

  it.each<[string, string | undefined, boolean]>([
    ["no .gitignore", undefined, true],
    ["one without the file", "node_modules\n.env.local", true],
    ["one with its path", ".ai/.env\n", false],
    ["one with its name", ".env\n", false],
    ["one with its folder", "/.ai/\n", false],
    ["one with a pattern", "**/.e*\n", false],
    ["one that excludes it again", ".env\n!.ai/.env\n", true],
  ])("is offered for .gitignore in a work tree with %s", async (_case, ignored, isOffered) => {
    mkdirSync(join(place.folder, ".git"));
    if (ignored !== undefined) place.write(".gitignore", ignored);
    const { url } = await serve([DOCS]);
    const { stderr } = await discover("--url", url, "--name", "c7", ...KEYED);
    expect(stderr.includes(".ai/.env is not in .gitignore")).toBe(isOffered);
    await discover("--url", url, "--name", "c7", ...KEYED, "--yes");
    const now = isOffered ? `${ignored ?? ""}${ignored?.endsWith("\n") === false ? "\n" : ""}.ai/.env\n` : ignored;
    expect(readFileSync(join(place.folder, ".gitignore"), "utf8")).toBe(now);
  });

  it("is not added to a .gitignore that is a symbolic link", async () => {
    mkdirSync(join(place.folder, ".git"));
    const other = place.write("elsewhere/profile", "mine\n");
    symlinkSync(other, join(place.folder, ".gitignore"));
    const { url } = await serve([DOCS]);
    const { stderr } = await discover("--url", url, "--name", "c7", ...KEYED, "--yes");
    expect(stderr).toContain(".gitignore is a symbolic link and was not changed");
    expect(readFileSync(other, "utf8")).toBe("mine\n");
  });

  it("is not mentioned outside a work tree", async () => {
    const { url } = await serve([DOCS]);
    expect((await discover("--url", url, "--name", "c7", ...KEYED)).stderr).not.toContain(".gitignore");
  });
});
