import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace, type RunOptions } from "../../../../test/support/cli.js";

const CONFIG = "state/mcp-discovery.config.yaml";
const FIRST = "# mine\nservers:\n  a:\n    command: a\n";
let place: CliPlace;
beforeEach(() => void (place = createCliPlace()));
afterEach(() => place.remove());

const path = (): string => join(place.folder, CONFIG);
const read = (): string => readFileSync(path(), "utf8");

/** An editor that writes the next text at each start; an empty text does not change the file. */
function editor(...texts: string[]) {
  const script = place.write(
    "editor.mjs",
    `import { readFileSync, writeFileSync } from "node:fs";
const texts = JSON.parse(readFileSync(${JSON.stringify(join(place.folder, "texts.json"))}, "utf8"));
const text = texts.shift() ?? "";
writeFileSync(${JSON.stringify(join(place.folder, "texts.json"))}, JSON.stringify(texts));
if (text !== "") writeFileSync(process.argv[2], text);
`,
  );
  place.write("texts.json", JSON.stringify(texts));
  return { env: { EDITOR: "false", VISUAL: `"${process.execPath}" "${script}"` } };
}

/** A terminal that answers each question when it appears. */
function answering(options: RunOptions, ...answers: string[]): RunOptions {
  const stdin = new PassThrough();
  const onOutput = (text: string): void => {
    if (text.includes("[y/N]")) setImmediate(() => stdin.write(`${answers.shift() ?? ""}\n`));
  };
  return { ...options, isTerminal: true, stdin, onOutput };
}

describe("anygpt mcp edit", () => {
  it("creates the file from the template, which undo deletes", async () => {
    const { exit, stdout } = await place.runWith(editor(""), "mcp", "edit");
    expect([exit, stdout]).toEqual([0, expect.stringContaining("is valid.")]);
    expect(read()).toContain("\nsources: all\n");
    await place.run("mcp", "undo");
    expect(existsSync(path())).toBe(false);
  });

  it("validates the edited file and records an undo step", async () => {
    place.write(CONFIG, FIRST);
    const ran = await place.runWith(editor(FIRST.replace("command: a", "command: b")), "mcp", "edit", "--json");
    expect(ran.json()).toMatchObject({ success: true, changed: true, isNew: false });
    await place.run("mcp", "undo");
    expect(read()).toBe(FIRST);
  });

  it("reports that nothing was changed", async () => {
    place.write(CONFIG, FIRST);
    expect((await place.runWith(editor(""), "mcp", "edit")).stdout).toContain("was not changed");
    expect((await place.run("mcp", "undo", "--list")).stdout).toContain("nothing to undo");
  });

  it("restores the file if there is no terminal to correct it", async () => {
    place.write(CONFIG, FIRST);
    const { exit, stderr } = await place.runWith(editor("servers: 7\n"), "mcp", "edit");
    expect([exit, stderr]).toEqual([2, expect.stringMatching(/The previous content of .* was restored\./)]);
    expect(read()).toBe(FIRST);
  });

  it("opens the file again, also one that was broken before", async () => {
    place.write(CONFIG, "servers: {\n");
    const terminal = { ...editor("servers: 7\n", FIRST), isTerminal: true, stdin: "y\n" };
    const { exit, stderr, stdout } = await place.runWith(terminal, "mcp", "edit");
    expect([exit, stderr, stdout]).toEqual([
      0,
      expect.stringMatching(/yaml:1:\d+[^]*Open the file again\?/),
      expect.stringContaining("is valid."),
    ]);
    expect(read()).toBe(FIRST);
  });

  it("leaves an invalid file only as a step that can be undone", async () => {
    place.write(CONFIG, FIRST);
    const { exit, stderr } = await place.runWith(answering(editor("servers: 7\n"), "n", "n"), "mcp", "edit");
    expect([exit, stderr]).toEqual([2, expect.stringContaining("is invalid.")]);
    await place.run("mcp", "undo");
    expect(read()).toBe(FIRST);
  });

  it("restores the file if the user agrees", async () => {
    place.write(CONFIG, FIRST);
    const { exit, stdout } = await place.runWith(answering(editor("servers: 7\n"), "n", "y"), "mcp", "edit");
    expect([exit, stdout]).toEqual([1, expect.stringContaining("was not changed.")]);
    expect(read()).toBe(FIRST);
    expect((await place.run("mcp", "undo", "--list")).stdout).toContain("nothing to undo");
  });

  it("names the editor that cannot be started, and leaves no file behind", async () => {
    const { exit, stderr } = await place.runWith({ env: { EDITOR: "no-such-editor" } }, "mcp", "edit");
    expect([exit, stderr]).toEqual([1, expect.stringContaining('"no-such-editor" could not be started')]);
    expect(existsSync(path())).toBe(false);
  });
});
