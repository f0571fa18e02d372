// Questions at a real terminal: what was typed before a question appears does not answer it, with and without the
// background gateway.
import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ANYGPT, createHome, type Home, testServer } from "../support/gateway.js";

let home: Home;
const children: ChildProcessWithoutNullStreams[] = [];
beforeEach(() => (home = createHome({ servers: {} })));
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  const env = { ...home.env, ANYGPT_DAEMON: "1" };
  await promisify(execFile)(process.execPath, [ANYGPT, "mcp", "daemon", "stop", "--all"], { env, cwd: home.folder });
  home.remove();
});

/** Runs a command at a pseudo terminal of util-linux `script`, which passes on what it reads. */
function atTerminal(words: readonly string[], typedAhead: string, env: Record<string, string> = {}) {
  const command = [process.execPath, ANYGPT, "mcp", ...words].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    env: { ...home.env, NO_COLOR: "1", TERM: "xterm", SHELL: "/bin/sh", CI: "", ...env },
    cwd: home.folder,
  });
  children.push(child);
  let text = "";
  const waiting = new Set<() => void>();
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
    for (const check of waiting) check();
  });
  child.stdin.on("error", () => undefined);
  child.stdin.write(typedAhead);
  const closed = once(child, "close") as Promise<[number | null]>;
  return {
    /** In one line, because the pseudo terminal is narrow. */
    text: () => text.replace(/\s+/g, " "),
    closed,
    type: (typed: string) => void child.stdin.write(typed),
    /** Resolves when the text has appeared, or the command has ended. */
    shown: (wanted: string) =>
      new Promise<void>((resolve) => {
        const check = (): void => void (text.includes(wanted) && (waiting.delete(check), resolve()));
        waiting.add(check);
        check();
        void closed.then(() => resolve());
      }),
  };
}

const hasScript = process.platform === "linux" && existsSync("/usr/bin/script");

describe.skipIf(!hasScript)("input that was typed before a question", () => {
  it.each([
    ["a line", "y\n"],
    ["several lines", "y\nyes\ny\n"],
    ["a line without its end", "y"],
  ])("that is %s does not trust a file", async (_what, typed) => {
    const file = join(home.folder, ".anygpt/mcp-discovery.config.json");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ servers: { theirs: { command: "x" } } }));
    const env = { HOME: join(home.folder, "user") };
    const terminal = atTerminal(["config", "trust"], typed, env);
    await terminal.shown("[y/N]");
    terminal.type("\n");
    await terminal.closed;
    expect(terminal.text()).toContain("Nothing was trusted.");
    const asked = atTerminal(["config", "trust"], typed, env);
    await asked.shown("[y/N]");
    asked.type("y\n");
    await asked.closed;
    expect(asked.text()).toContain("The current content is trusted.");
  });

  it.each([
    ["without the background gateway", "0"],
    ["with the background gateway", "1"],
  ])("does not confirm a call %s", async (_what, daemon) => {
    const config = { servers: { echo: testServer("echo.mjs") }, policy: { confirmation: { from: "low" } } };
    writeFileSync(home.config, JSON.stringify(config));
    const words = ["execute", "echo:add", "--args", '{"a":20,"b":22}', "--config", home.config];
    const terminal = atTerminal(words, "y\ny\ny", { ANYGPT_DAEMON: daemon });
    await terminal.shown("[y/N]");
    terminal.type("\n");
    const [exit] = await terminal.closed;
    expect([exit === 0, terminal.text()]).toEqual([false, expect.not.stringContaining("sum: 42")]);
    const agreed = atTerminal(words, "n\n", { ANYGPT_DAEMON: daemon });
    await agreed.shown("[y/N]");
    agreed.type("y\n");
    expect(await agreed.closed).toEqual([0, null]);
    expect(agreed.text()).toContain("sum: 42");
  });
});
