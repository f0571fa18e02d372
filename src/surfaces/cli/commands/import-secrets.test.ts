import { chmodSync, existsSync, rmSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { CONFIG, setUpImports } from "../../../../test/support/import-place.js";

const { place, at, read, modeOf, run, page, cursor } = setUpImports();
const SECRET = "ghp_0123456789abcdef";

describe("import of secrets", () => {
  const servers = {
    a: { command: "a", env: { GITHUB_TOKEN: SECRET } },
    b: { url: "https://b.example/mcp", headers: { Authorization: "Bearer b-s3cret" } },
    c: { command: "c", env: { GITHUB_TOKEN: "another's" } },
  };

  it("copies them with a warning and never prints them", async () => {
    cursor(servers);
    for (const argv of [[], ["--json"], ["--yes"], ["--secrets", "env", "--yes", "--json"], ["--undo"]]) {
      const { stdout, stderr } = await run(...argv);
      expect(stdout + stderr).not.toMatch(/ghp_|s3cret|another's/);
    }
    expect(read(CONFIG)).toContain(SECRET);
  });

  it("lists where they are and how to move them", async () => {
    cursor(servers);
    expect((await run()).stdout).toContain(
      `! 3 secrets in plain text are copied into ~/${CONFIG}, which only you can read:
    a env.GITHUB_TOKEN
    b headers.Authorization
    c env.GITHUB_TOKEN
  \`--secrets keychain\` moves secrets into the system keychain instead, \`--secrets env\` into ~/.ai/.env.
`,
    );
  });

  it("moves them into ~/.ai/.env under distinct names, and recognizes the servers again", async () => {
    cursor(servers);
    place().write(".ai/.env", "# mine\nOTHER=1");
    chmodSync(at(".ai/.env"), 0o644);
    const first = await page("--secrets", "env", "--yes");
    expect(first.secrets).toEqual({
      copied: [],
      moved: ["GITHUB_TOKEN", "B_TOKEN", "C_GITHUB_TOKEN"],
      keychain: [],
      unset: [],
    });
    expect(read(".ai/.env")).toBe(
      `# mine\nOTHER=1\nGITHUB_TOKEN='${SECRET}'\nB_TOKEN='b-s3cret'\nC_GITHUB_TOKEN="another's"\n`,
    );
    expect(modeOf(".ai/.env")).toBe(0o600);
    expect(JSON.parse(read(CONFIG))).toMatchObject({
      servers: {
        a: { env: { GITHUB_TOKEN: "${GITHUB_TOKEN}" } },
        b: { headers: { Authorization: "Bearer ${B_TOKEN}" } },
        c: { env: { GITHUB_TOKEN: "${C_GITHUB_TOKEN}" } },
      },
    });
    expect((await page("--secrets", "env")).changes).toEqual([]);
    await run("--undo", "--yes");
    expect([read(".ai/.env"), modeOf(".ai/.env"), existsSync(at(CONFIG))]).toEqual(["# mine\nOTHER=1", 0o644, false]);
  });
});

describe("import of secrets with a configuration that is a program", () => {
  beforeEach(() => {
    cursor({ a: { command: "a", args: ["--api-key", "k3y-s3cret"], env: { GITHUB_TOKEN: SECRET } } });
    place().write(".anygpt/mcp-discovery.config.ts", "export default { servers: {} };\n");
  });

  it("prints variables instead of secrets, and lists those to set", async () => {
    for (const argv of [[], ["--yes"], ["--json"], ["--secrets", "env"], ["--secrets", "env", "--yes"]]) {
      const { exit, stdout, stderr } = await run(...argv);
      expect([exit, (stdout + stderr).match(/ghp_|s3cret/)]).toEqual([2, null]);
    }
    rmSync(at(".ai"), { recursive: true });
    const { stdout, stderr } = await run("--yes");
    expect(stdout).toContain('"GITHUB_TOKEN": "${GITHUB_TOKEN}"');
    expect(stdout).toContain('"${A_API_KEY}"');
    expect(stderr).toContain("Set GITHUB_TOKEN, A_API_KEY to the secrets in the files of the MCP clients");
    expect(existsSync(at(".ai/.env"))).toBe(false);
    expect((await page("--yes")).secrets).toEqual({
      copied: [],
      moved: [],
      keychain: [],
      unset: ["GITHUB_TOKEN", "A_API_KEY"],
    });
  });

  it("reports that ~/.ai/.env was not written before the user agrees", async () => {
    const { stderr } = await run("--secrets", "env");
    expect(stderr).toContain("~/.ai/.env was not written. Add GITHUB_TOKEN, A_API_KEY to it yourself.");
    expect(existsSync(at(".ai/.env"))).toBe(false);
  });

  it("writes ~/.ai/.env with --secrets env, readable only by its owner, and undoes it", async () => {
    const { exit, stdout, stderr } = await run("--secrets", "env", "--yes");
    expect([exit, stderr.includes("was not written: it lacks")]).toEqual([2, false]);
    expect(stdout).toContain("~/.ai/.env: gets GITHUB_TOKEN, A_API_KEY");
    expect(read(".ai/.env")).toBe(`GITHUB_TOKEN='${SECRET}'\nA_API_KEY='k3y-s3cret'\n`);
    expect(modeOf(".ai/.env")).toBe(0o600);
    await run("--undo", "--yes");
    expect(existsSync(at(".ai/.env"))).toBe(false);
  });
});
