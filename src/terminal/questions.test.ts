import { once } from "node:events";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { ask, askLine, isAgreed } from "./questions.js";
import { createTerminal } from "./terminal.js";

function open(stdin: PassThrough) {
  let written = "";
  const terminal = createTerminal(
    {
      stdin,
      stdout: new PassThrough(),
      stderr: { write: (text: string) => (written += text) },
      env: { NO_COLOR: "1" },
      isTerminal: { stdin: true, stdout: true, stderr: true },
      columns: 80,
      signal: new AbortController().signal,
    },
    { isJson: false, isColorless: true },
  );
  return { terminal, written: () => written };
}

describe("a question", () => {
  it.each([
    ["y\n", "yes"],
    [" YES \n", "yes"],
    ["yep\n", "no"],
    ["\n", "no"],
  ])("reads the answer %j as %s", async (typed, answer) => {
    const stdin = new PassThrough();
    const { terminal, written } = open(stdin);
    stdin.write(typed);
    expect(await ask("Really?", terminal)).toBe(answer);
    expect(written()).toBe("Really? [y/N] ");
  });

  it("is unanswered if the input ends without an answer", async () => {
    const { terminal } = open(new PassThrough().end());
    expect(await ask("Really?", terminal)).toBe("unanswered");
  });

  it("is unanswered, and not a no, if the input had ended before", async () => {
    const stdin = new PassThrough().end();
    stdin.resume();
    await once(stdin, "end");
    const { terminal } = open(stdin);
    expect(await ask("Really?", terminal)).toBe("unanswered");
    expect(await askLine("Which one?", terminal)).toBeUndefined();
  });

  it("is not asked if the user has agreed by an option", async () => {
    const { terminal, written } = open(new PassThrough());
    expect(await isAgreed("Really?", true, terminal)).toBe(true);
    expect(written()).toBe("");
  });
});
