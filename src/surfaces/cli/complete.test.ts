import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace } from "../../../test/support/cli.js";

let place: CliPlace;

beforeAll(() => {
  place = createCliPlace({
    servers: [
      {
        name: "github",
        command: "never-started",
        tools: [{ name: "create_issue" }, { name: "x; rm -rf ~" }, { name: "hidden" }],
      },
      { name: "gitlab", command: "never-started" },
      { name: "with space", command: "never-started" },
    ],
    toolRules: [{ pattern: "hidden", enabled: false }],
  });
});
afterAll(() => place.remove());

const complete = async (...words: string[]): Promise<string[]> => {
  const { exit, stdout, stderr } = await place.run("__complete", "--", ...words);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  return stdout.split("\n").slice(0, -1);
};

describe("completion", () => {
  it.each([
    ["the first word", ["mc"], ["mcp"]],
    ["commands without the group", ["se"], ["search", "secret", "serve"]],
    ["tools behind a colon", ["execute", "github:c"], ["github:create_issue"]],
    ["tools behind a colon as bash splits it", ["execute", "github", ":", "c"], ["create_issue"]],
    ["commands", ["mcp", "se"], ["search", "secret", "serve"]],
    ["commands of a group", ["mcp", "config", ""], ["reload", "show", "sources", "trust", "validate"]],
    ["questions that wait, of which there are none", ["mcp", "approve", ""], []],
    ["options of the command", ["mcp", "tools", "github", "--e"], ["--explain"]],
    ["options that all commands have", ["mcp", "list", "--j"], ["--json"]],
    ["servers, but none that a shell would split", ["mcp", "doctor", ""], ["github", "gitlab"]],
    ["commands and servers", ["mcp", "tools", ""], ["export", "github", "gitlab", "install"]],
    ["servers by their beginning", ["mcp", "tools", "gith"], ["github"]],
    ["servers after options", ["mcp", "tools", "--tags", "gitl"], ["gitlab"]],
    ["the value of an option", ["mcp", "search", "x", "--server", "gitl"], ["gitlab"]],
    ["the value after an equals sign", ["mcp", "search", "x", "--server", "=", "gitl"], ["gitlab"]],
    ["enabled tools, but none that a shell would run", ["mcp", "execute", "github", ""], ["create_issue"]],
    ["every server of a list", ["mcp", "doctor", "github", "gitl"], ["gitlab"]],
    ["shells", ["mcp", "completion", ""], ["bash", "fish", "powershell", "zsh"]],
    ["commands after help", ["mcp", "help", "se"], ["search", "secret", "serve"]],
    ["what an option may be", ["mcp", "idempotency", "list", "--state", "un"], ["unknown"]],
    ["nothing after the last argument", ["mcp", "tools", "github", ""], []],
    ["nothing for a file, which the shell knows better", ["mcp", "list", "--config", ""], []],
    ["nothing for an unknown command", ["mcp", "nonsense", ""], []],
  ])("offers %s", async (_name, words, expected) => {
    expect(await complete(...words)).toEqual(expected);
  });

  it("reads the configuration that is named on the line", async () => {
    const other = place.write("other.json", { servers: [{ name: "jira", command: "x" }] });
    expect(await complete("mcp", "doctor", "--config", other, "")).toEqual(["jira"]);
  });

  it("is silent about a wrong configuration", async () => {
    const bad = place.write("bad.json", "{");
    expect(await complete("mcp", "doctor", "--config", bad, "")).toEqual([]);
  });

  it.each(["bash", "zsh", "fish"])("prints a script for %s, as JSON too", async (shell) => {
    const { exit, stdout } = await place.run("mcp", "completion", shell);
    expect(exit).toBe(0);
    expect(stdout).toContain("anygpt __complete -- ");
    expect((await place.run("mcp", "completion", shell, "--json")).json()).toEqual({ shell, script: stdout });
  });

  it("prints a bash script that passes the words up to the cursor", async () => {
    const script = place.write("completion.bash", (await place.run("mcp", "completion", "bash")).stdout);
    const fake = place.write("path/anygpt", '#!/bin/sh\nfor word; do printf "%s\\n" "<$word>"; done\n');
    chmodSync(fake, 0o755);
    const program = `source '${script}'
COMP_WORDS=(anygpt mcp "tools" "git" after)
COMP_CWORD=3
_anygpt
printf '%s|' "\${COMPREPLY[@]}"`;
    const env = { PATH: `${join(place.folder, "path")}:${process.env["PATH"]}` };
    const output = execFileSync("bash", ["--norc", "-c", program], { env, encoding: "utf8" });
    expect(output).toBe("<__complete>|<-->|<mcp>|<tools>|<git>|");
  });
  describe("in a real shell", () => {
    const isInstalled = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;
    let env: Record<string, string>;
    beforeAll(async () => {
      for (const shell of ["zsh", "fish"]) {
        place.write(`scripts/${shell}`, (await place.run("mcp", "completion", shell)).stdout);
      }
      const program = `#!/bin/sh
if [ "$1" = __complete ]; then for word; do printf "%s\\n" "is:$word"; done; else cat "$SCRIPTS/$3"; fi
`;
      chmodSync(place.write("shells/anygpt", program), 0o755);
      env = {
        PATH: `${join(place.folder, "shells")}:${process.env["PATH"]}`,
        SCRIPTS: join(place.folder, "scripts"),
        HOME: place.folder,
        ZDOTDIR: place.folder,
        XDG_CONFIG_HOME: place.folder,
        XDG_DATA_HOME: place.folder,
        TERM: "dumb",
      };
    });

    it.runIf(isInstalled("zsh"))("works by eval in a .zshrc that holds nothing else (needs zsh)", () => {
      place.write(".zshrc", 'eval "$(anygpt mcp completion zsh)"\n');
      const program = `compadd() { print -rn -- "\${(j:|:)candidates}" }
words=(anygpt mcp tools git after)
CURRENT=4
print -r -- "\${_comps[anygpt]}"
_anygpt`;
      const { stdout, stderr } = spawnSync("zsh", ["-i", "-c", program], { env, encoding: "utf8" });
      expect({ stdout, stderr }).toEqual({ stdout: "_anygpt\nis:__complete|is:--|is:mcp|is:tools|is:git", stderr: "" });
    });

    it.runIf(isInstalled("zsh"))("works as a file in zsh's fpath (needs zsh)", () => {
      place.write("fpath/_anygpt", execFileSync("cat", [join(place.folder, "scripts/zsh")], { encoding: "utf8" }));
      const program = `fpath=('${join(place.folder, "fpath")}' $fpath)
autoload -Uz compinit && compinit -i
compadd() { print -rn -- "\${(j:|:)candidates}" }
words=(anygpt mcp)
CURRENT=2
_anygpt`;
      const { stdout, stderr } = spawnSync("zsh", ["-f", "-c", program], { env, encoding: "utf8" });
      expect({ stdout, stderr }).toEqual({ stdout: "is:__complete|is:--|is:mcp", stderr: "" });
    });

    it.runIf(isInstalled("fish"))("works in fish (needs fish)", () => {
      const program = `source '${join(place.folder, "scripts/fish")}'; complete -C 'anygpt mcp tools is:'`;
      const { stdout } = spawnSync("fish", ["--no-config", "-c", program], { env, encoding: "utf8" });
      expect(stdout.trimEnd().split("\n").sort()).toEqual(["is:--", "is:__complete", "is:is:", "is:mcp", "is:tools"]);
    });
  });
});
