import { describe, expect, it } from "vitest";
import { BAD, BLANK, blocks, bold, count, GOOD, line, quoted, verbatim } from "./lines.js";
import { render, wantsColor } from "./render.js";

const plain = { columns: 40, color: false };

describe("render", () => {
  it("wraps at spaces and keeps the indent", () => {
    const text = "one two three four five six seven eight nine ten eleven";
    expect(render([line(2, text)], plain)).toBe("  one two three four five six seven\n  eight nine ten eleven\n");
  });

  it("keeps a word whole that is longer than the line, so that it can be copied", () => {
    const url = `https://example.com/${"x".repeat(40)}`;
    expect(render([line(0, `see ${url} now`)], plain)).toBe(`see\n${url}\nnow\n`);
  });

  it("wraps a styled word together with what touches it", () => {
    const row = line(0, "a".repeat(36), " ", bold("name"), ",");
    expect(render([row], plain)).toBe(`${"a".repeat(36)}\nname,\n`);
  });

  it("counts wide characters as two cells", () => {
    expect(render([line(0, `${"猫".repeat(12)} ${"猫".repeat(12)}`)], plain)).toBe(
      `${"猫".repeat(12)}\n${"猫".repeat(12)}\n`,
    );
  });

  it("prefixes every row of quoted text with a bar, also where the terminal would wrap it", () => {
    const text = `{\n  "a": "${" ".repeat(30)}Really? [y/N]\u001b"\n}`;
    expect(render([quoted(2, text)], plain)).toBe(
      `  │ {\n  │   "a": "${" ".repeat(28)}\n  │   Really? [y/N]\\u001b"\n  │ }\n`,
    );
    expect(render([quoted(0, "猫".repeat(20))], plain)).toBe(`│ ${"猫".repeat(19)}\n│ 猫\n`);
  });

  it.each([
    ["a line break inside a text starts a line of the same indent", line(2, "a\nb"), "  a\n  b\n"],
    ["blank lines have no spaces", line(4, "a\n\nb"), "    a\n\n    b\n"],
    ["spaces at the end are dropped", line(0, "a   "), "a\n"],
    ["verbatim text is not wrapped", verbatim(2, "word ".repeat(20).trim()), `  ${"word ".repeat(20).trim()}\n`],
    ["escapes of strangers arrive as text", line(0, "\u001b[2Jx"), "\\u001b[2Jx\n"],
    ["styled text of strangers is sanitised too", line(0, bold("\u001b[2Jx")), "\\u001b[2Jx\n"],
    ["a blank line is empty", BLANK, "\n"],
  ])("%s", (_name, input, expected) => {
    expect(render([input], plain)).toBe(expected);
  });

  it("colours when asked to", () => {
    expect(render([line(0, GOOD, " ok ", BAD)], { columns: 40, color: true })).toBe(
      "\u001b[32m✓\u001b[39m ok \u001b[31m✗\u001b[39m\n",
    );
  });
});

describe("blocks", () => {
  it("puts one blank line between blocks and leaves empty ones out", () => {
    expect(render(blocks([[line(0, "a")], [], [line(0, "b"), line(0, "c")]]), plain)).toBe("a\n\nb\nc\n");
  });
});

describe("count", () => {
  it.each([
    [0, "0 tools"],
    [1, "1 tool"],
    [2, "2 tools"],
  ])("says %i as %s", (amount, expected) => {
    expect(count(amount, "tool")).toBe(expected);
  });
});

describe("wantsColor", () => {
  const ask = (env: Record<string, string>, terminal: boolean, isForbidden = false): boolean =>
    wantsColor({ env, isTerminal: { stdout: terminal, stderr: false } }, "stdout", isForbidden);

  it.each([
    ["a terminal is coloured", {}, true, false, true],
    ["a pipe is not", {}, false, false, false],
    ["NO_COLOR wins over the terminal", { NO_COLOR: "1" }, true, false, false],
    ["an empty NO_COLOR says nothing", { NO_COLOR: "" }, true, false, true],
    ["FORCE_COLOR colours a pipe", { FORCE_COLOR: "1" }, false, false, true],
    ["FORCE_COLOR=0 uncolours a terminal", { FORCE_COLOR: "0" }, true, false, false],
    ["NO_COLOR wins over FORCE_COLOR", { NO_COLOR: "1", FORCE_COLOR: "1" }, true, false, false],
    ["--no-color wins over FORCE_COLOR", { FORCE_COLOR: "1" }, true, true, false],
    ["a dumb terminal is not coloured", { TERM: "dumb" }, true, false, false],
  ])("%s", (_name, env, terminal, isForbidden, expected) => {
    expect(ask(env, terminal, isForbidden)).toBe(expected);
  });
});
