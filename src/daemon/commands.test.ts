import { describe, expect, it } from "vitest";
import { auditFiles } from "../audit/files.js";
import { type CommandGroup, type CommandSpec, isGroup } from "../surfaces/cli/command.js";
import { ANYGPT } from "../surfaces/cli/table.js";
import { configOption, LOCAL_SUBCOMMANDS, SERVER_COMMANDS, usesDaemon } from "./commands.js";
import { daemonPaths } from "./paths.js";

interface Named {
  readonly path: string;
  readonly entry: CommandSpec | CommandGroup;
}

function all(entries: readonly (CommandSpec | CommandGroup)[], before: readonly string[] = []): Named[] {
  return entries.flatMap((entry) => {
    const words = [...before, entry.name];
    return [{ path: words.join(" "), entry }, ...all(entry.commands ?? [], words)];
  });
}

const mcp = ANYGPT.commands.find(({ name }) => name === "mcp");
const commands = all(mcp?.commands ?? []);
const usesServers = ({ entry }: Named): boolean => !isGroup(entry) && entry.usesServers === true;

describe("the client's list of commands", () => {
  it("contains the commands with usesServers in the command table", () => {
    const marked = commands.filter(usesServers).map(({ path }) => path);
    expect(SERVER_COMMANDS.toSorted()).toEqual(marked.toSorted());
  });

  it("excludes exactly their subcommands without usesServers", () => {
    const below = commands.filter(
      (one) => !usesServers(one) && SERVER_COMMANDS.some((name) => one.path.startsWith(`${name} `)),
    );
    expect(LOCAL_SUBCOMMANDS.toSorted()).toEqual(below.map(({ path }) => path).toSorted());
  });
});

describe("usesDaemon", () => {
  const yes = [
    "mcp list",
    "mcp search a tool",
    "search a tool",
    "mcp --json list",
    "mcp --config x.json execute a b",
    "mcp adapter test shop",
    "mcp config reload",
    "mcp search -- --no-daemon",
  ];
  it.each(yes)("is true for anygpt %s", (line) => expect(usesDaemon(line.split(" "), {})).toBe(true));

  const no = [
    "",
    "--version",
    "mcp",
    "mcp serve",
    "mcp config show",
    "mcp tools export",
    "mcp adapter add shop",
    "mcp list --help",
    "mcp list -h",
    "mcp list --no-daemon",
    "mcp --config list serve",
    "__complete mcp list",
    "__daemon",
    "mcp daemon status",
  ];
  it.each(no)("is false for anygpt %s", (line) => expect(usesDaemon(line.split(" "), {})).toBe(false));

  it("is false if the environment disables it", () => {
    const list = ["mcp", "list"];
    for (const env of [{ ANYGPT_DAEMON: "0" }, { ANYGPT_DAEMON: "off" }, { CI: "true" }, { CI: "1" }]) {
      expect(usesDaemon(list, env)).toBe(false);
    }
    expect(usesDaemon(list, { ANYGPT_DEPTH: "1" })).toBe(false);
    for (const env of [{ CI: "" }, { CI: "false" }, { ANYGPT_DAEMON: "1" }, { ANYGPT_DEPTH: "0" }]) {
      expect(usesDaemon(list, env)).toBe(true);
    }
  });
});

it("finds the file that --config names", () => {
  expect(configOption(["mcp", "--config", "a", "list"])).toBe("a");
  expect(configOption(["mcp", "list", "--config=b"])).toBe("b");
  expect(configOption(["mcp", "search", "--", "--config", "c"])).toBeUndefined();
});

describe("daemonPaths", () => {
  const env = { HOME: "/home/ann", ANYGPT_HOME: "/home/ann/.anygpt" };
  const paths = (more: object = {}) => daemonPaths({ cwd: "/", env, ...more });

  it("has another key for another folder, configuration, state folder or home", () => {
    const keys = [
      paths(),
      paths({ cwd: "/tmp" }),
      paths({ configPath: "a.json" }),
      paths({ env: { ...env, ANYGPT_HOME: "/other" } }),
      paths({ env: { ...env, HOME: "/home/bob" } }),
    ].map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("has the same key for --config and ANYGPT_CONFIG, and for any other variables", () => {
    expect(paths({ env: { ...env, ANYGPT_CONFIG: "/a.json" } }).key).toBe(paths({ configPath: "a.json" }).key);
    expect(paths({ env: { ...env, TOKEN: "x" } }).key).toBe(paths().key);
  });

  it("uses the key file of the state folder", () => {
    expect(paths().keyFile).toBe(auditFiles(paths().stateFolder, "").keyFile);
  });

  it("keeps the socket path short enough for a socket address", () => {
    const long = paths({ env: { ...env, ANYGPT_HOME: `/home/${"x".repeat(90)}` } });
    expect(Buffer.byteLength(long.socket)).toBeLessThanOrEqual(100);
    expect(long.infoFile).toContain("x".repeat(90));
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = `/var/${"t".repeat(90)}`;
    try {
      expect(paths({ env: { ...env, ANYGPT_HOME: `/home/${"x".repeat(90)}` } }).socket).toMatch(/^\/tmp\/anygpt-/);
    } finally {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
    }
    expect(paths().socket).toBe(`/home/ann/.anygpt/run/${paths().key}.sock`);
  });
});
