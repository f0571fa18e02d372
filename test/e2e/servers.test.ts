import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ANYGPT, testServer } from "../support/gateway.js";
import { createProject, type Project } from "../support/live-gateway.js";

let project: Project;
beforeEach(() => {
  project = createProject();
  mkdirSync(join(project.home, ".cursor"));
  writeFileSync(cursor(), `${JSON.stringify({ mcpServers: { one: testServer("gate.mjs", "one") } }, null, 2)}\n`);
});
afterEach(() => project.close());

const cursor = (): string => join(project.home, ".cursor/mcp.json");
const config = (): string => join(project.home, ".anygpt/mcp-discovery.config.yaml");

function anygpt(...words: string[]) {
  const env = { ...project.env, EDITOR: join(project.home, "editor") };
  const { status, stdout, stderr } = spawnSync(process.execPath, [ANYGPT, "mcp", ...words], {
    cwd: project.folder,
    env,
    encoding: "utf8",
    input: "",
  });
  return { status, stdout, stderr };
}

const names = (): string[] => {
  const { stdout } = anygpt("config", "show", "--json");
  const page = JSON.parse(stdout) as { servers: { list: { name: string }[] } };
  return page.servers.list.map(({ name }) => name).sort();
};

it("runs init, add, disable, edit and remove, and restores every byte with undo", () => {
  const original = readFileSync(cursor(), "utf8");
  expect(anygpt("init", "--yes", "--client", "cursor").status).toBe(0);
  const { command, args } = testServer("gate.mjs", "two");
  const added = anygpt("add", "two", "--", command, ...args);
  expect(added.stdout).toMatch(/✓ two answered with \d+ tools\./);
  expect(names()).toEqual(["one", "two"]);
  expect(anygpt("disable", "one").status).toBe(0);
  expect(names()).toEqual(["two"]);
  writeFileSync(join(project.home, "editor"), '#!/bin/sh\nsed -i "s/enabled: false$/enabled: true/" "$1"\n');
  chmodSync(join(project.home, "editor"), 0o755);
  expect(anygpt("edit").stdout).toContain("is valid.");
  expect(names()).toEqual(["one", "two"]);
  expect(anygpt("remove", "two").status).toBe(0);
  for (let step = 0; step < 5; step += 1) expect(anygpt("undo").status).toBe(0);
  expect(existsSync(config())).toBe(false);
  expect(readFileSync(cursor(), "utf8")).toBe(original);
});

it("keeps a symbolic link", () => {
  const real = join(project.home, "dotfiles.yaml");
  writeFileSync(real, "servers: {}\n");
  mkdirSync(join(project.home, ".anygpt"), { recursive: true });
  symlinkSync(real, config());
  expect(anygpt("add", "a", "--no-check", "--", "a").status).toBe(0);
  expect(lstatSync(config()).isSymbolicLink()).toBe(true);
  expect(readFileSync(real, "utf8")).toBe("servers:\n  a:\n    command: a\n");
});

it("edits the project's file only with --project, and trusts what it wrote", () => {
  expect(anygpt("init", "--project", "--yes").status).toBe(0);
  const file = project.path(".anygpt/mcp-discovery.config.yaml");
  expect(anygpt("add", "a", "--project", "--no-check", "--", "a").status).toBe(0);
  expect(readFileSync(file, "utf8")).toContain("servers:\n  a:\n    command: a\n");
  expect(existsSync(config())).toBe(false);
  const { stdout, stderr } = anygpt("config", "show", "--json");
  expect(stdout).toContain('"name": "a"');
  expect(stderr).not.toContain("trust");
});
