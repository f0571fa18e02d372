import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace } from "../../../test/support/cli.js";
import { type CommandGroup, type CommandSpec, isGroup } from "./command.js";
import { ANYGPT } from "./table.js";
import { TOPICS } from "./topics.js";

let place: CliPlace;

beforeAll(() => {
  place = createCliPlace({ servers: [] });
});
afterAll(() => place.remove());

/** Every command and group with the words that reach it. */
function everyCommand(
  group: Pick<CommandGroup, "commands"> = ANYGPT,
  words: string[] = [],
): { words: string[]; spec: CommandSpec | CommandGroup }[] {
  return group.commands.flatMap((spec) => {
    const here = [...words, spec.name];
    return [{ words: here, spec }, ...everyCommand({ commands: spec.commands ?? [] }, here)];
  });
}

describe("help", () => {
  it("names in its topics only commands that exist", () => {
    const [mcp] = ANYGPT.commands;
    const known = mcp !== undefined && isGroup(mcp) ? mcp.commands.map(({ name }) => name) : [];
    expect(TOPICS.flatMap(({ commands }) => commands).filter((name) => !known.includes(name))).toEqual([]);
  });

  it.each(everyCommand().map(({ words, spec }) => [words.join(" "), words, spec] as const))(
    "of %s has its summary and its examples",
    async (_name, words, spec) => {
      const { exit, stdout, stderr } = await place.run(...words, "--help");
      expect(exit).toBe(0);
      expect(stderr).toBe("");
      expect(stdout).toContain(`Usage: anygpt ${words.join(" ")}`);
      expect(stdout.replace(/\s+/g, " ")).toContain(spec.summary);
      expect(spec.examples.length).toBeGreaterThan(0);
      const joined = stdout.replaceAll(" \\\n      ", " ");
      for (const example of spec.examples) expect(joined).toContain(`  $ ${example}\n`);
    },
  );

  it.each([[[]], [["mcp"]], [["mcp", "config"]]])("is printed by %j alone, with exit code 0", async (words) => {
    const { exit, stdout, stderr } = await place.run(...words);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(stdout).toMatch(/^Usage: anygpt/);
  });

  it.each([[["mcp", "--json"]], [["mcp", "config", "--json"]], [["mcp", "--json", "config"]]])(
    "is nothing that %j could ask for: it names the commands as JSON",
    async (words) => {
      const ran = await place.run(...words);
      expect({ exit: ran.exit, stderr: ran.stderr }).toEqual({ exit: 1, stderr: "" });
      expect(ran.json()).toMatchObject({
        error: {
          code: "INVALID_REQUEST",
          message: expect.stringMatching(/^Missing command of '(mcp|config)': (init|show), /) as string,
        },
      });
    },
  );

  it.each([60, 40, 30])("fits a terminal of %i columns, whatever the command", async (columns) => {
    for (const { words } of everyCommand()) {
      const { stdout } = await place.runWith({ isTerminal: true, columns }, ...words, "--help");
      // Examples are not wrapped at spaces, so that they can be copied.
      const [description = ""] = stdout.split("Examples:");
      expect(description.split("\n").filter((line) => line.length > columns || line.trimEnd() !== line)).toEqual([]);
    }
  });

  it.each([
    [["help"], []],
    [["help", "mcp"], ["mcp"]],
    [
      ["help", "mcp", "config", "show"],
      ["mcp", "config", "show"],
    ],
    [["mcp", "help"], ["mcp"]],
    [
      ["mcp", "help", "execute"],
      ["mcp", "execute"],
    ],
    [
      ["mcp", "config", "help", "show"],
      ["mcp", "config", "show"],
    ],
  ])("is printed by %j", async (words, command) => {
    const { exit, stdout, stderr } = await place.run(...words);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(stdout).toBe((await place.run(...command, "--help")).stdout);
  });

  it.each([
    [["mcp", "help", "serch"], "✗ Unknown command 'serch'.\n  Did you mean search? Run `anygpt mcp --help`"],
    [["help", "mcp", "list", "xx"], "✗ Unknown command 'xx'.\n  Run `anygpt --help`"],
  ])("is rejected for %j with a hint", async (words, message) => {
    const { exit, stdout, stderr } = await place.run(...words);
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
    expect(stderr).toContain(message);
  });

  it("of search names the configuration key of the default", async () => {
    expect((await place.run("mcp", "search", "--help")).stdout.replace(/\s+/g, " ")).toContain("search.limit");
  });
});

describe("--version", () => {
  it("prints the version alone", async () => {
    expect(await place.run("--version")).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string,
    });
  });
});

describe("wrong usage", () => {
  const cases: [string[], string, string][] = [
    [["validate"], "Unknown command 'validate'.", "Did you mean `anygpt mcp config validate`?"],
    [["mcp", "validate"], "Unknown command 'validate'.", "Did you mean `anygpt mcp config validate`?"],
    [["mpc"], "Unknown command 'mpc'.", "Did you mean mcp? Run `anygpt --help` to see its arguments and options."],
    [
      ["mcp", "serch"],
      "Unknown command 'serch'.",
      "Did you mean search? Run `anygpt mcp --help` to see its arguments and options.",
    ],
    [
      ["mcp", "config", "shwo"],
      "Unknown command 'shwo'.",
      "Did you mean show? Run `anygpt mcp config --help` to see its arguments and options.",
    ],
    [["mcp", "list", "--statsu"], "Unknown option '--statsu'.", "Did you mean --status?"],
    [["mcp", "env", "more"], "Too many arguments for 'env'.", "Run `anygpt mcp env --help`"],
    [["mcp", "search"], "Missing required argument 'query'.", "Run `anygpt mcp search --help`"],
    [["mcp", "search", " "], "The query is empty.", "to find tools by what they do."],
    [
      ["mcp", "search", "a", "--limit", "0"],
      "Option '--limit <n>' argument '0' is invalid. Pass an integer from 1 to 50.",
      "",
    ],
    [["mcp", "search", "a", "--limit", "2.5"], "Pass an integer from 1 to 50.", ""],
    [["mcp", "search", "a", "--limit", "ten"], "Pass an integer from 1 to 50.", ""],
    [["mcp", "search", "a", "--limit", ""], "Pass an integer from 1 to 50.", ""],
    [["mcp", "search", "a", "--server"], "The option --server <name> needs a value.", ""],
    [["mcp", "tools"], "Missing required argument 'server'.", ""],
    [["mcp", "inspect"], "Missing required argument 'tool'.", ""],
    [["mcp", "execute"], "Missing required argument 'tool'.", ""],
    [["mcp", "execute", "a", "b", "--args", "{"], "--args is not JSON: line 1, column 2:", "single quotes"],
    [["mcp", "execute", "a", "b", "--timeout", "-1"], "Pass a number from 0.1 to 900.", ""],
    [["mcp", "completion", "tcsh"], "'tcsh' is not a valid shell: use one of bash, zsh, fish, powershell.", ""],
    [["mcp", "eval", "--catalog", "x"], "The option --queries <file> is required.", ""],
  ];

  it.each(cases.map(([argv, ...rest]) => [argv.join(" "), argv, ...rest] as const))(
    "%s exits with 1 and says what to do",
    async (_name, argv, message, hint) => {
      const { exit, stdout, stderr } = await place.run(...argv);
      expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
      expect(stderr).toMatch(/^✗ /);
      expect(stderr).toContain(message);
      expect(stderr).toContain(hint);
    },
  );

  it.each(cases.map(([argv, message]) => [argv.join(" "), argv, message] as const))(
    "%s --json exits with 1 and says it in JSON",
    async (_name, argv, message) => {
      const ran = await place.run(...argv.slice(0, 2), "--json", ...argv.slice(2));
      expect(ran).toMatchObject({ exit: 1, stderr: "" });
      expect(ran.json()).toMatchObject({
        success: false,
        error: { code: "INVALID_REQUEST", message: expect.stringContaining(message) as string },
      });
    },
  );
});

describe("common options", () => {
  it.each([
    ["after the command", ["mcp", "list", "--json"]],
    ["before the command", ["mcp", "--json", "list"]],
  ])("may stand %s", async (_name, argv) => {
    expect((await place.run(...argv)).json()).toMatchObject({ servers: [] });
  });

  it("--config names the file, and the last one wins", async () => {
    const one = place.write("one.json", { cache: { ttl: 111 } });
    const two = place.write("two.json", { cache: { ttl: 222 } });
    const ran = await place.run("mcp", "--config", one, "config", "show", "--config", two, "--json");
    expect(ran.json()).toMatchObject({ file: two, cache: { ttl: 222 } });
  });

  it("serve has no option --json, because its output is a protocol", async () => {
    expect(await place.run("mcp", "serve", "--json")).toMatchObject({ exit: 1 });
  });
});

describe("a wrong configuration", () => {
  const commands = [
    ["mcp", "list"],
    ["mcp", "search", "a"],
    ["mcp", "tools", "a"],
    ["mcp", "inspect", "a", "b"],
    ["mcp", "execute", "a", "b"],
    ["mcp", "config", "show"],
    ["mcp", "config", "validate"],
    ["mcp", "config", "sources"],
    ["mcp", "config", "reload"],
    ["mcp", "doctor"],
    ["mcp", "serve"],
  ];

  it.each(commands.map((argv) => [argv.join(" "), argv] as const))(
    "ends %s with 2 and names the key",
    async (_name, argv) => {
      const file = place.write("bad.json", '{\n  "cache": { "ttll": 5 },\n  "serverz": []\n}');
      const { exit, stdout, stderr } = await place.run(...argv, "--config", file);
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
      expect(stderr).toContain("✗ The configuration has 2 problems:\n");
      expect(stderr).toContain(`${file}:2:14: cache.ttll:`);
      expect(stderr).toContain(`${file}:3:3: serverz:`);
    },
  );

  it("is reported as JSON with --json, with all its problems", async () => {
    const file = place.write("bad.json", '{ "cache": { "ttll": 5 }, "serverz": [] }');
    const ran = await place.run("mcp", "list", "--json", "--config", file);
    expect(ran).toMatchObject({ exit: 2, stderr: "" });
    expect(ran.json()).toMatchObject({
      success: false,
      error: { code: "CONFIGURATION_ERROR", problems: [{ path: "cache.ttll", line: 1 }, { path: "serverz" }] },
    });
  });

  it("names each pattern of the rules that cannot be used", async () => {
    const file = place.write("rules.json", { toolRules: [{ pattern: "[a" }, { pattern: ["ok", "/(/"] }] });
    const { exit, stderr } = await place.run("mcp", "config", "validate", "--config", file);
    expect(exit).toBe(2);
    expect(stderr).toMatch(/toolRules\[0\].*: .*\[a/);
    expect(stderr).toMatch(/toolRules\[1\].*: .*\/\(\//);
  });

  it("that does not exist is reported with a hint", async () => {
    const { exit, stderr } = await place.run("mcp", "list", "--config", "none.json");
    expect(exit).toBe(2);
    expect(stderr).toMatch(/none\.json does not exist\.\n {2}Check the path of the configuration file, in --config or/);
  });
});
