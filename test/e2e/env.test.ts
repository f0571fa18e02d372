import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ANYGPT, testServer } from "../support/gateway.js";
import { createProject, type Project } from "../support/live-gateway.js";

let project: Project;
beforeEach(() => void (project = createProject({ FROM_PROCESS: "s3cret-process" })));
afterEach(() => project.close());

const names = ["IN_HOME", "IN_AI", "IN_ENV", "IN_LOCAL", "FROM_PROCESS"];

/** Each file sets its own variable correctly and the variables of all later files to a wrong value. */
function writeChain(): string {
  mkdirSync(join(project.home, ".ai"), { recursive: true });
  const assign = (value: string) => names.map((name) => `export ${name}="s3cret-${value}"\n`).join("");
  writeFileSync(join(project.home, ".ai/.env"), assign("home"));
  project.write(".ai/.env", assign("ai").split("\n").slice(1).join("\r\n"));
  project.write(".env", assign("env").split("\n").slice(2).join("\n"));
  project.write(".env.local", assign("local").split("\n").slice(3).join("\n"));
  const secret = names.map((name) => `\${${name}}`).join(",");
  return project.write("config.json", { servers: { a: { ...testServer("gate.mjs", "a"), env: { SECRET: secret } } } });
}

describe("the environment chain", () => {
  it("passes to a server the value of the last file that sets a variable, and logs none", async () => {
    const gateway = await project.open("--config", writeChain());
    expect((await gateway.execute("a", "whoami")).text.split(" ")[2]).toBe(
      "s3cret-home,s3cret-ai,s3cret-env,s3cret-local,s3cret-process",
    );
    expect(gateway.lines.join("\n")).not.toContain("s3cret");
  });

  it("is shown by `anygpt mcp env` without values", async () => {
    const file = writeChain();
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [ANYGPT, "mcp", "env", "--check", "--json", "--config", file],
      { cwd: project.folder, env: project.env },
    );
    const { variables } = JSON.parse(stdout) as { variables: { name: string; from: string }[] };
    expect(Object.fromEntries(variables.map(({ name, from }) => [name, from]))).toEqual({
      IN_HOME: join(project.home, ".ai/.env"),
      IN_AI: project.path(".ai/.env"),
      IN_ENV: project.path(".env"),
      IN_LOCAL: project.path(".env.local"),
      FROM_PROCESS: "environment",
    });
    expect(stdout + stderr).not.toContain("s3cret");
  });
});
