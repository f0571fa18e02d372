import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { createContext } from "./context.js";
import { line } from "./lines.js";

describe("a context", () => {
  it("fits each output to its own terminal", () => {
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
        stderrColumns: 24,
        signal: new AbortController().signal,
      },
      { isJson: false, isVerbose: false, isColorless: false },
    );
    const lines = [line(0, "The quick brown fox jumps over the dog")];
    context.show(lines);
    context.note(lines);
    expect(written).toEqual({
      stdout: "The quick brown fox jumps over the dog\n",
      stderr: "The quick brown fox\njumps over the dog\n",
    });
  });
});
