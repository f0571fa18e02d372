import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerAtTerminal } from "../support/answer-at-terminal.js";
import { toToolFileText } from "../../src/toolfiles/format/to-text.js";
import { definitionHash, type ToolFile } from "../../src/toolfiles/format/tool-file.js";
import { ANYGPT, connectGateway, type Home, testServer } from "../support/gateway.js";

/** A user with a home folder and a project, at the built command line. */
interface TestUser {
  readonly project: string;
  readonly home: Home;
  run(...argv: string[]): { exit: number | null; stdout: string; stderr: string };
  remove(): void;
}

function createTestUser(): TestUser {
  const folder = mkdtempSync(join(tmpdir(), "anygpt-e2e-"));
  const project = join(folder, "project");
  mkdirSync(project);
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    ANYGPT_HOME: join(folder, "state"),
    ANYGPT_DAEMON: "0",
    NO_COLOR: "1",
  };
  const config = join(folder, "config.json");
  writeFileSync(config, JSON.stringify({ toolFiles: { folders: [join(project, ".ai/tools/mcp")] } }));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  return {
    project,
    home: { folder, config, env, remove },
    run(...argv) {
      const options = { cwd: project, env, encoding: "utf8" } as const;
      const { status, stdout, stderr } = spawnSync(process.execPath, [ANYGPT, "mcp", ...argv], options);
      return { exit: status, stdout, stderr };
    },
    remove,
  };
}

const TOOL = {
  name: "add",
  description: "Adds two numbers.",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  annotations: { readOnlyHint: true },
};
const FILE: ToolFile = {
  toolId: "calc_add",
  version: "1.0.0",
  server: "calc",
  tool: TOOL,
  discoveredAt: "2026-01-27T12:00:00Z",
  definitionHash: definitionHash(TOOL),
  needs: [],
  connection: { kind: "stdio", ...testServer("echo.mjs"), env: {} },
  timeoutMs: 30_000,
};

let ann: TestUser;
let bob: TestUser;

beforeAll(() => {
  ann = createTestUser();
  bob = createTestUser();
});
afterAll(() => {
  ann.remove();
  bob.remove();
});

/** The terminal output for this answer, on one line. */
async function answer(user: TestUser, typed: string, argv: readonly string[]): Promise<string> {
  const words = [process.execPath, ANYGPT, "mcp", ...argv];
  const shown = await answerAtTerminal({ words, cwd: user.project, env: user.home.env }, typed);
  return shown.replace(/\s+/g, " ");
}

describe("a tool file", () => {
  it("is shared with a user who trusts its key and then runs through every surface", async () => {
    const folder = join(ann.project, ".ai/tools/mcp");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "calc_add.yaml"), toToolFileText(FILE));
    expect(ann.run("run", "calc_add", "a=1", "b=2")).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("is not signed") as string,
    });
    expect(ann.run("sign", "calc_add", "--yes").exit).toBe(0);
    expect(ann.run("verify").exit).toBe(0);
    expect(ann.run("tools", "export", "--output", "calc.tgz").exit).toBe(0);

    const archive = join(ann.project, "calc.tgz");
    const keyId =
      /^# anygpt:ed25519:([0-9a-f]{32}):/m.exec(readFileSync(join(folder, "calc_add.yaml"), "utf8"))?.[1] ?? "";
    // A copied file is rejected: its key is not trusted there.
    const target = join(bob.project, ".ai/tools/mcp");
    mkdirSync(target, { recursive: true });
    writeFileSync(join(target, "calc_add.yaml"), readFileSync(join(folder, "calc_add.yaml")));
    expect(bob.run("run", "calc_add", "a=1", "b=2").stderr).toContain(
      `signed with the key ${keyId}, which is not trusted here`,
    );
    rmSync(join(target, "calc_add.yaml"));

    const unasked = bob.run("tools", "install", archive, "--yes");
    expect(unasked).toMatchObject({ exit: 2, stderr: expect.stringContaining(`--trust ${keyId}`) as string });
    expect(await answer(bob, "n\n", ["tools", "install", archive])).toContain("Trust the key and install these files?");
    expect(bob.run("verify").stdout).toContain("There are no tool files");
    expect(await answer(bob, "y\n", ["tools", "install", archive])).toContain("is now trusted");
    expect(bob.run("verify").exit).toBe(0);
    expect(bob.run("run", "calc_add", "a=1", "b=2")).toMatchObject({
      exit: 0,
      stdout: "sum: 3\n",
    });

    const gateway = await connectGateway(bob.home);
    const found = await gateway.call("search_tools", { query: "calc_add" });
    expect(found.text).toContain("calc");
    const called = await gateway.call("execute_tool", {
      server: "calc",
      tool: "calc_add",
      arguments: { a: 20, b: 22 },
    });
    expect({ isError: called.isError, sum: called.text.includes("42") }).toEqual({ isError: false, sum: true });
    await gateway.close();

    expect(bob.run("keys", "revoke", keyId, "--yes").exit).toBe(0);
    expect(bob.run("run", "calc_add", "a=1", "b=2")).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("which was revoked") as string,
    });
  });
});
