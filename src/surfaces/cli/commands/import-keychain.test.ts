import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeEach, describe, expect, it } from "vitest";
import type { Ran } from "../../../../test/support/cli.js";
import { fakeTools } from "../../../../test/support/fake-tools.js";
import { CONFIG, CURSOR, setUpImports } from "../../../../test/support/import-place.js";
import type { ImportPage } from "../../../operations/import/report.js";

const { place, at, read, runWith, cursor } = setUpImports();
const SECRET = "ghp_0123456789abcdef";
const NOTION = "ntn_0123456789abcdef";
const SERVERS = {
  github: { command: "github-mcp", env: { GITHUB_TOKEN: SECRET } },
  notion: {
    command: "notion-mcp",
    env: { OPENAPI_MCP_HEADERS: `{"Authorization":"Bearer ${NOTION}","Notion-Version":"2022-06-28"}` },
  },
  maps: { url: "https://maps.example/mcp?api_key=k3y-s3cret&v=1" },
};
const SHOWN = /ghp_|ntn_|s3cret/;

let tools: { bin: string; store: string };
let env: Record<string, string>;
beforeEach(() => {
  tools = fakeTools(place().folder);
  env = { NO_COLOR: "1", PATH: `${tools.bin}:${process.env["PATH"]}` };
});
const run = (...argv: string[]): Promise<Ran> => runWith({ env, columns: 200 }, ...argv);
const page = async (...argv: string[]): Promise<ImportPage> => (await run(...argv, "--json")).json() as ImportPage;
const entry = (name: string): string => readFileSync(join(tools.store, `anygpt~${name}`), "utf8");
const mcp = (...argv: string[]): Promise<Ran> =>
  place().runWith({ env: { ...env, ANYGPT_HOME: at(".anygpt") } }, "mcp", ...argv);

/** Answers each question as it is asked. */
function answering(...answers: string[]) {
  const stdin = new Readable({ read: () => undefined });
  const onOutput = (text: string): void => {
    if (!/\[(?:y\/N|keychain|env)\]/.test(text)) return;
    const answer = answers.shift();
    setImmediate(() => stdin.push(answer === undefined ? null : `${answer}\n`));
  };
  return { env, isTerminal: true, columns: 200, stdin, onOutput };
}

describe.skipIf(process.platform !== "linux")("import --secrets keychain", () => {
  it("stores secrets through standard input and refers to them, inside JSON and addresses too", async () => {
    cursor(SERVERS);
    const { exit, stdout, stderr } = await run("--secrets", "keychain", "--yes");
    expect([exit, (stdout + stderr).match(SHOWN)]).toEqual([0, null]);
    expect(stdout).toContain("✓ keychain: receives GITHUB_TOKEN, NOTION_TOKEN, MAPS_API_KEY");
    expect([entry("GITHUB_TOKEN"), entry("NOTION_TOKEN"), entry("MAPS_API_KEY")]).toEqual([
      SECRET,
      NOTION,
      "k3y-s3cret",
    ]);
    expect(readFileSync(join(tools.store, "calls"), "utf8")).not.toMatch(SHOWN);
    expect(JSON.parse(read(CONFIG))).toMatchObject({
      servers: {
        github: { env: { GITHUB_TOKEN: "${keychain:GITHUB_TOKEN}" } },
        notion: {
          env: {
            OPENAPI_MCP_HEADERS: '{"Authorization":"Bearer ${keychain:NOTION_TOKEN}","Notion-Version":"2022-06-28"}',
          },
        },
        maps: { url: "https://maps.example/mcp?api_key=${keychain:MAPS_API_KEY}&v=1" },
      },
    });
    expect((await mcp("config", "validate")).exit).toBe(0);
  });

  it("recognises its servers in a second import, and reads nothing for servers that differ otherwise", async () => {
    cursor(SERVERS);
    await run("--secrets", "keychain", "--yes");
    const again = await page("--secrets", "keychain");
    expect([again.added, again.changes]).toEqual([[], []]);
    expect((await page()).added).toEqual([]);

    cursor({ ...SERVERS, github: { command: "other", env: { GITHUB_TOKEN: SECRET } } });
    rmSync(join(tools.store, "calls"));
    expect((await page()).added).toEqual(["github-2"]);
    expect(readFileSync(join(tools.store, "calls"), "utf8")).not.toContain("GITHUB_TOKEN");
  });

  it("adds the same server with another secret under another name and entry", async () => {
    cursor(SERVERS);
    await run("--secrets", "keychain", "--yes");
    cursor({ github: { command: "github-mcp", env: { GITHUB_TOKEN: "ghp_another0123456" } } });
    const second = await page("--secrets", "keychain", "--yes");
    expect([second.added, second.secrets.keychain]).toEqual([["github-2"], ["GITHUB_2_GITHUB_TOKEN"]]);
    expect([entry("GITHUB_TOKEN"), entry("GITHUB_2_GITHUB_TOKEN")]).toEqual([SECRET, "ghp_another0123456"]);
  });

  it("names the server that could not be compared because its secret cannot be read", async () => {
    cursor(SERVERS);
    await run("--secrets", "keychain", "--yes");
    await mcp("secret", "remove", "GITHUB_TOKEN", "--yes");
    const { notes } = await page();
    expect(notes).toEqual([
      expect.stringMatching(/^github could not be compared .*\$\{keychain:GITHUB_TOKEN\} cannot/),
    ]);
  });

  it("puts back every byte of the files, and names the entries that stay in the keychain", async () => {
    cursor(SERVERS);
    const before = read(CURSOR);
    await run("--client", "cursor", "--secrets", "keychain", "--yes");
    expect(read(CURSOR)).not.toBe(before);
    const { stdout } = await run("--undo", "--yes");
    expect([read(CURSOR), existsSync(at(CONFIG))]).toEqual([before, false]);
    expect(stdout).toContain(
      "The secret NOTION_TOKEN stays in the keychain. Remove it with `anygpt mcp secret remove NOTION_TOKEN`.",
    );
    expect(entry("GITHUB_TOKEN")).toBe(SECRET);
  });

  it("copies a secret of several lines in clear text and names it", async () => {
    cursor({ a: { command: "a", env: { PRIVATE_KEY: "-----BEGIN-----\nabc\n-----END-----" } } });
    const { secrets } = await page("--secrets", "keychain", "--yes");
    expect([secrets.keychain, secrets.copied]).toEqual([[], [{ server: "a", where: "env.PRIVATE_KEY" }]]);
  });

  it("writes no file when an entry cannot be stored", async () => {
    cursor(SERVERS);
    env = { PATH: join(place().folder, "empty") };
    const { exit, stderr } = await run("--secrets", "keychain", "--yes");
    expect([exit, existsSync(at(CONFIG))]).toEqual([2, false]);
    expect(stderr).toContain("secret-tool was not found");
  });

  it("prints references for a configuration that is a program, and stores their secrets", async () => {
    cursor(SERVERS);
    place().write(".anygpt/mcp-discovery.config.ts", "export default { servers: {} };\n");
    const planned = await run("--secrets", "keychain");
    expect(planned.stderr).toContain(
      "Nothing was stored in the keychain. Add GITHUB_TOKEN, NOTION_TOKEN, MAPS_API_KEY to it yourself.",
    );
    expect(existsSync(join(tools.store, "anygpt~GITHUB_TOKEN"))).toBe(false);
    const { stdout } = await run("--secrets", "keychain", "--yes");
    expect(stdout).toContain('"GITHUB_TOKEN": "${keychain:GITHUB_TOKEN}"');
    expect(entry("GITHUB_TOKEN")).toBe(SECRET);
  });
});

describe.skipIf(process.platform !== "linux")("import at a terminal", () => {
  it("asks where to store secrets, and uses the keychain on Enter", async () => {
    cursor(SERVERS);
    const { stdout, stderr } = await runWith(answering("", "y"));
    expect(stderr).toContain("3 secrets in plain text:\n  github env.GITHUB_TOKEN\n");
    expect(stderr).toContain("keychain, env, keep? [keychain]");
    expect(stdout + stderr).not.toMatch(SHOWN);
    expect([entry("GITHUB_TOKEN"), read(CONFIG).match(SHOWN)]).toEqual([SECRET, null]);
  });

  it("does not offer a keychain without its tool, and asks again after an invalid answer", async () => {
    cursor(SERVERS);
    rmSync(join(tools.bin, "secret-tool"));
    env = { PATH: tools.bin };
    const { stderr } = await runWith(answering("keychain", "env", "y"));
    expect(stderr.match(/env, keep\? \[env\]/g)).toHaveLength(2);
    expect([stderr.includes("keychain:"), read(".ai/.env").includes(SECRET)]).toEqual([false, true]);
  });

  it.each([
    [["keep", "y"], []],
    [["y"], ["--secrets", "keep"]],
    [[], ["--yes"]],
  ])("keeps them after %j with %j", async (answers, argv) => {
    cursor(SERVERS);
    await runWith(answering(...answers), ...argv);
    expect(read(CONFIG)).toContain(SECRET);
  });

  it("writes nothing when the input ends", async () => {
    cursor(SERVERS);
    await runWith(answering());
    expect([existsSync(at(CONFIG)), existsSync(at(".ai/.env"))]).toEqual([false, false]);
  });
});
