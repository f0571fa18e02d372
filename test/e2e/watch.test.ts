import { execFile } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, type TestContext } from "vitest";
import { isBefore } from "../support/is-before.js";
import { ANYGPT, testServer } from "../support/gateway.js";
import { createProject, type LiveGateway, type Project } from "../support/live-gateway.js";

function begin({ onTestFinished }: TestContext): Project {
  const project = createProject();
  onTestFinished(() => project.close());
  return project;
}

const gate = (name: string, env: Record<string, string> = {}) => ({ ...testServer("gate.mjs", name), env });
const servers = (...names: string[]) => ({ servers: Object.fromEntries(names.map((name) => [name, gate(name)])) });
const AGAIN = "The configuration was reloaded: ";
const STAYS = "The new configuration is invalid, so the previous one stays in use: ";

/** Runs the action and waits until the gateway has logged the result. */
async function until(gateway: LiveGateway, text: string, act: () => void): Promise<void> {
  const times = gateway.lines.filter((line) => line.includes(text)).length;
  act();
  await gateway.logged(text, times + 1);
}

/** The documentation promises two seconds. The timer of this test ends later, even on a busy machine. */
const LATE_MS = 15_000;

// Most of the time is spent waiting for the next poll of a file.
describe.concurrent("a running gateway", () => {
  it("follows its configuration with every way of saving", async (test) => {
    const project = begin(test);
    const file = project.write("config.json", servers("a"));
    const gateway = await project.open("--config", file);
    const { text: pid } = await gateway.execute("a", "whoami");
    const ways: [string[], () => void][] = [
      [["a", "b"], () => void project.write("config.json", servers("a", "b"))],
      [["a", "c"], () => project.replace("config.json", servers("a", "c"))],
      [
        ["a", "d"],
        () => {
          renameSync(file, `${file}~`);
          project.write("config.json", servers("a", "d"));
        },
      ],
      [
        ["a", "e"],
        () => {
          rmSync(file);
          symlinkSync(project.write("elsewhere.json", servers("a", "e")), file);
        },
      ],
      [["a", "f"], () => void project.write("elsewhere.json", servers("a", "f"))],
    ];
    for (const [names, save] of ways) {
      expect(await isBefore(until(gateway, AGAIN, save), LATE_MS)).toBe(true);
      expect(await gateway.servers()).toEqual(names);
    }
    expect((await gateway.execute("a", "whoami")).text).toBe(pid);
  });

  it("follows a folder replaced through a symbolic link, as in Kubernetes", async (test) => {
    const project = begin(test);
    for (const [version, name] of [["v1", "a"] as const, ["v2", "b"] as const]) {
      project.write(`${version}/config.json`, servers(name));
    }
    symlinkSync("v1", project.path("..data"));
    symlinkSync("..data/config.json", project.path("config.json"));
    const gateway = await project.open("--config", project.path("config.json"));
    await until(gateway, AGAIN, () => {
      symlinkSync("v2", project.path("..tmp"));
      renameSync(project.path("..tmp"), project.path("..data"));
    });
    expect(await gateway.servers()).toEqual(["b"]);
  });

  it("keeps the last valid configuration, reports the problem once and recovers", async (test) => {
    const project = begin(test);
    const file = project.write("config.json", servers("a"));
    const gateway = await project.open("--config", file);
    await gateway.servers();
    const broken = '{\n  "servers": {"a": {"comand": "x"}}\n}';
    await until(gateway, STAYS, () => void project.write("config.json", broken));
    expect(gateway.lines.at(-1)).toBe(
      `${STAYS}${file} has 2 problems: 2:15: servers.a: needs a \`command\` or a \`url\`; 2:21: servers.a.comand: is not a known key; did you mean "command"?`,
    );
    expect(await gateway.servers()).toEqual(["a"]);
    expect((await gateway.call("list_mcp_servers")).text).toContain("The changed configuration is invalid");
    expect((await gateway.execute("a", "whoami")).isError).toBe(false);
    // Rewritten with the same error: nothing new to report.
    project.replace("config.json", broken);
    await until(gateway, "does not exist", () => rmSync(file));
    await until(gateway, AGAIN, () => void project.write("config.json", servers("a", "b")));
    expect(await gateway.servers()).toEqual(["a", "b"]);
    expect(gateway.lines.filter((line) => line.startsWith(STAYS))).toHaveLength(2);
    expect((await gateway.call("list_mcp_servers")).text).not.toContain("is wrong");
  });

  it("finds a configuration in a new folder and falls back when it is removed", async (test) => {
    const project = begin(test);
    mkdirSync(join(project.home, ".anygpt"));
    const gateway = await project.open();
    expect(await gateway.servers()).toEqual([]);
    const file = join(project.home, ".anygpt/mcp-discovery.config.json");
    await until(gateway, AGAIN, () => writeFileSync(file, JSON.stringify(servers("own"))));
    expect(await gateway.servers()).toEqual(["own"]);
    await until(gateway, AGAIN, () => rmSync(file));
    expect(await gateway.servers()).toEqual([]);
  });

  it("follows a source and a module imported by the configuration", async (test) => {
    const project = begin(test);
    project.write("more.yaml", `servers:\n  a: ${JSON.stringify(gate("a"))}\n`);
    project.write("ttl.ts", "export const ttl: number = 5;\n");
    const config = `import { ttl } from "./ttl.js";\nexport default { cache: { ttl }, sources: [{ type: "custom", path: "more.yaml" }] };\n`;
    const gateway = await project.open("--config", project.write("config.ts", config));
    expect(await gateway.servers()).toEqual(["a"]);
    const more = `servers:\n  b: ${JSON.stringify(gate("b"))}\n`;
    await until(gateway, "1 added (b), 1 removed (a)", () => void project.write("more.yaml", more));
    expect(await gateway.servers()).toEqual(["b"]);
    await until(gateway, "sections changed: cache", () => void project.write("ttl.ts", "export const ttl = 6;\n"));
  });

  it("reconnects only servers whose variables have changed", async (test) => {
    const project = begin(test);
    project.write(".env", "ONE=1\nTWO=2\n");
    const config = { servers: { one: gate("one", { SECRET: "${ONE}" }), two: gate("two", { SECRET: "${TWO}" }) } };
    const gateway = await project.open("--config", project.write("config.json", config));
    const { text: one } = await gateway.execute("one", "whoami");
    const { text: two } = await gateway.execute("two", "whoami");
    expect([one.split(" ")[2], two.split(" ")[2]]).toEqual(["1", "2"]);
    await until(gateway, "1 changed (two)", () => void project.write(".env", "ONE=1\nTWO=3\n"));
    expect((await gateway.execute("one", "whoami")).text).toBe(one);
    expect((await gateway.execute("two", "whoami")).text.split(" ")[2]).toBe("3");
    expect(gateway.lines.join("\n")).not.toMatch(/SECRET|=3/);
  });

  it("reloads after `config reload`", async (test) => {
    const project = begin(test);
    const file = project.write("config.json", servers("a"));
    const gateway = await project.open("--config", file);
    await gateway.servers();
    const ran = promisify(execFile)(process.execPath, [ANYGPT, "mcp", "config", "reload", "--config", file], {
      cwd: project.folder,
      env: project.env,
    });
    await gateway.logged(AGAIN);
    expect((await ran).stdout).toContain("Running gateways apply the change within two seconds.");
  });
});
