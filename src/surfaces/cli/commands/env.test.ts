import { chmodSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace } from "../../../../test/support/cli.js";
import { ROOT } from "../../../../test/support/gateway.js";

const places: CliPlace[] = [];
const createPlace = (config: object): CliPlace => {
  const place = createCliPlace(config);
  places.push(place);
  return place;
};
afterEach(() => {
  for (const place of places.splice(0)) place.remove();
});

const CONFIG = {
  servers: {
    github: { command: "x", env: { TOKEN: "${GITHUB_TOKEN}", HOST: "${GITHUB_HOST:-github.com}" } },
    jira: { url: "https://${JIRA_HOST}/mcp", headers: { a: "${JIRA_TOKEN} ${GITHUB_TOKEN}" } },
    plain: { command: "x" },
    nested: { command: "x", args: ["${OUTER:-${INNER}}"] },
  },
  sources: [{ type: "custom", path: "${MORE_DIR}/more.yaml" }],
};

describe("env", () => {
  it("lists each variable with its servers, its origin and whether it is set", async () => {
    const place = createPlace(CONFIG);
    place.write(".ai/.env", "GITHUB_TOKEN=s3cret-weak\n");
    chmodSync(join(place.folder, ".ai/.env"), 0o600);
    place.write(".env.local", "GITHUB_TOKEN=s3cret-strong\nrubbish\n");
    const ran = await place.runWith({ env: { JIRA_HOST: "s3cret-host" } }, "mcp", "env");
    expect(ran.exit).toBe(0);
    expect(ran.stdout).toBe(`Environment variables (7):

  - GITHUB_HOST: not set, has a default (needed by github)
  ✓ GITHUB_TOKEN: from ${join(place.folder, ".env.local")} (needed by github, jira)
  ✗ INNER: not set (needed by nested)
  ✓ JIRA_HOST: from the environment (needed by jira)
  ✗ JIRA_TOKEN: not set (needed by jira)
  ✗ MORE_DIR: not set (needed by source custom)
  - OUTER: not set, has a default (needed by nested)

3 variables missing: the servers that need them cannot be used.
`);
    expect(ran.stderr).toBe(`! ${join(place.folder, ".env.local")}:2 is not an assignment and was ignored.\n`);
    expect(ran.stdout + ran.stderr).not.toContain("s3cret");
  });

  it("does not report a variable that another set variable makes unnecessary", async () => {
    const ran = await createPlace(CONFIG).runWith({ env: { OUTER: "x" } }, "mcp", "env", "--json");
    const { variables } = ran.json() as { variables: { name: string; status: string }[] };
    expect(variables.find(({ name }) => name === "INNER")).toMatchObject({ status: "default", from: null });
  });

  it.each([
    [["env"], {}, 0],
    [["env", "--check"], {}, 2],
    [["env", "--check"], { GITHUB_TOKEN: "a", JIRA_HOST: "b", JIRA_TOKEN: "", INNER: "d", MORE_DIR: "e" }, 0],
  ])("%j with %j exits with %i", async (argv, env, exit) => {
    expect((await createPlace(CONFIG).runWith({ env }, "mcp", ...argv)).exit).toBe(exit);
  });

  it("passes unset variables of a shell script unchanged, with a note", async () => {
    const place = createCliPlace();
    places.push(place);
    const echo = join(ROOT, "test/servers/echo.mjs");
    const script = `NAME=echo; exec ${process.execPath} "${dirname(echo)}/\${NAME}.mjs"`;
    place.write(".cursor/mcp.json", {
      mcpServers: {
        shell: { command: "sh", args: ["-c", script] },
        plain: { command: "x", args: ["${NAME}"] },
      },
    });
    const ran = await place.run("mcp", "env", "--json");
    expect(ran.json()).toMatchObject({
      variables: [
        {
          name: "NAME",
          status: "missing",
          description: "passed to the shell as ${NAME} if it is not set",
          neededBy: ["shell", "plain"],
        },
      ],
    });
    expect((await place.run("mcp", "env")).stdout).toContain("passed to the shell as ${NAME} if it is not set");
    const called = await place.run("mcp", "execute", "shell:echo", "text=hello", "--json");
    expect([called.exit, called.stdout.includes("hello")]).toEqual([0, true]);
  });

  it("explains why a keychain reference in an MCP client's file is not read", async () => {
    const place = createCliPlace();
    places.push(place);
    place.write(".cursor/mcp.json", {
      mcpServers: { notion: { command: "x", env: { TOKEN: "${keychain:NOTION}" } } },
    });
    const reason = "references to the keychain are only resolved in your own configuration";
    const shown = await place.run("mcp", "env");
    expect(shown.stdout).toContain(`replaces \${keychain:NOTION}: ${reason}`);
    const validated = await place.run("mcp", "config", "validate");
    expect(validated.stdout + validated.stderr).toContain(reason);
  });

  it("reports that no variable is needed", async () => {
    expect((await createPlace({ servers: {} }).run("mcp", "env")).stdout).toBe(
      "No server needs an environment variable.\n",
    );
  });

  it("names a file that is not used because it is not trusted", async () => {
    const place = createPlace({});
    const home = join(place.folder, "home");
    mkdirSync(home);
    place.write("state/mcp-discovery.config.json", { servers: { a: { command: "x", args: ["${TOKEN}"] } } });
    place.write(".env", "TOKEN=s3cret\nNODE_OPTIONS=--require ./evil.js\n");
    const run = (...argv: string[]) => place.runWith({ env: { HOME: home } }, "mcp", ...argv);
    const file = join(place.folder, ".env");
    expect((await run("env", "--json")).json()).toMatchObject({
      variables: [{ name: "TOKEN", status: "missing", from: null, untrusted: file, neededBy: ["a"] }],
    });
    expect((await run("env")).stdout).toContain(
      `not set, but ${file} sets it and is not trusted; run \`anygpt mcp config trust\` to use it`,
    );
    expect((await run("config", "validate")).stdout).toContain(`${file} is ignored because it is not trusted yet`);
    const trusted = await run("config", "trust", "--yes", ".env");
    expect(trusted.stdout).toContain(file);
    expect((await run("env", "--json")).json()).toMatchObject({
      variables: [{ name: "TOKEN", status: "set", from: file }],
    });
    place.write(".env", "TOKEN=other\n");
    expect((await run("env", "--check")).exit).toBe(2);
  });
});
