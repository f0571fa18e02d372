import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../src/config/load.js";
import { ANYGPT } from "../src/surfaces/cli/table.js";
import { ROOT } from "./support/gateway.js";

const readme = readFileSync(join(ROOT, "README.md"), "utf8");
const blocks = (language: string) =>
  [...readme.matchAll(/```(\w+)\n(.*?)```/gs)].filter(([, name]) => name === language).map(([, , text]) => text ?? "");

describe("README.md", () => {
  it("has at most 800 words", () => {
    expect(readme.split(/\s+/).length).toBeLessThanOrEqual(800);
  });

  it("opens with the two commands that install and set up the gateway", () => {
    const [, commands] = /^# .*\n\n```sh \S+\n([\s\S]*?)```/.exec(readme) ?? [];
    expect(commands?.trim().split("\n")).toEqual(["npm install -g @anygpt/discovery", "anygpt init"]);
  });

  it("shows a picture that is drawn from the recorded tutorial", async () => {
    const recording = new URL("../scripts/docs/recording.mjs", import.meta.url).href;
    const { recordingSvg } = (await import(recording)) as { recordingSvg: (tutorial: string) => string };
    const [, path = ""] = /<img src="([^"]+\.svg)"/.exec(readme) ?? [];
    const tutorial = readFileSync(join(ROOT, "docs/start/tutorial.md"), "utf8");
    expect(readFileSync(join(ROOT, path), "utf8")).toBe(recordingSvg(tutorial));
  });

  it("names scripts and commands that exist", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    const named = [...readme.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name ?? "");
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
    const mcp = ANYGPT.commands.find(({ name }) => name === "mcp") as { commands: readonly { name: string }[] };
    const commands = [...readme.matchAll(/(?<=^|`)anygpt (?:mcp )?(\w+)/gm)].map(([, name]) => name ?? "");
    expect(commands.length).toBeGreaterThan(5);
    expect(commands.filter((command) => !mcp.commands.some(({ name }) => name === command))).toEqual([]);
  });

  it("gives a configuration that loads and a client snippet that is JSON", async () => {
    const folder = mkdtempSync(join(tmpdir(), "readme-"));
    const [yaml = "", ...others] = blocks("yaml");
    expect(others).toEqual([]);
    const path = join(folder, "config.yaml");
    writeFileSync(path, yaml);
    const { config } = await loadConfig({ cwd: folder, home: folder, anygptHome: folder, env: {}, path });
    rmSync(folder, { recursive: true });
    expect([...config.servers, ...config.adapters].map(({ name }) => name)).toEqual(["github", "payments"]);
    for (const json of blocks("json")) expect(JSON.parse(json)).toHaveProperty("mcpServers");
  });
});
