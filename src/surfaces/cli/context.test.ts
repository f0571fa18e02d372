import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { createContext } from "./context.js";
import { line } from "../../terminal/lines.js";

function open(options: { isJson: boolean; stderrColumns: number }) {
  const written = { stdout: "", stderr: "" };
  const context = createContext(
    {
      stdin: new PassThrough(),
      stdout: new PassThrough().on("data", (chunk) => (written.stdout += String(chunk))),
      stderr: { write: (text) => (written.stderr += text) },
      env: { NO_COLOR: "1" },
      cwd: "/",
      isTerminal: { stdout: true, stderr: true },
      columns: 80,
      stderrColumns: options.stderrColumns,
      signal: new AbortController().signal,
    },
    { isJson: options.isJson, isVerbose: false, isColorless: false },
  );
  return { context, written };
}

describe("a context", () => {
  it.each([true, false])("shows warnings, and the log only on request, with JSON: %s", (isJson) => {
    const { context, written } = open({ isJson, stderrColumns: 80 });
    context.log("An everyday matter.");
    context.warn("Search matches words only.");
    expect(written).toEqual({ stdout: "", stderr: "! Search matches words only.\n" });
  });

  it("fits each output to its own terminal", () => {
    const { context, written } = open({ isJson: false, stderrColumns: 24 });
    const lines = [line(0, "The quick brown fox jumps over the dog")];
    context.show(lines);
    context.note(lines);
    expect(written).toEqual({
      stdout: "The quick brown fox jumps over the dog\n",
      stderr: "The quick brown fox\njumps over the dog\n",
    });
  });

  it("leaves the cursor behind a question", () => {
    const { context, written } = open({ isJson: false, stderrColumns: 80 });
    context.prompt(line(0, "Write this? [y/N]"));
    expect(written.stderr).toBe("Write this? [y/N] ");
  });
});
