import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutLocalPaths, withoutStackFrames } from "./strip-trace.js";

/** A real stack trace of this process. */
function stackHere(): string {
  return new TypeError("The query is empty.").stack ?? "";
}

describe("withoutStackFrames", () => {
  it("leaves only the message of a real stack trace", () => {
    expect(stackHere()).toContain("\n    at ");
    expect(withoutStackFrames(stackHere())).toBe("TypeError: The query is empty.");
    expect(withoutStackFrames(stackHere().replaceAll(/\s*\n\s*/g, " "))).toBe("TypeError: The query is empty.");
  });

  it.each<[string, string, string]>([
    ["a frame of Node.js", "Error: x\n    at foo (/home/x/y.js:1:2)", "Error: x"],
    ["a frame without a function", "Error: x\n    at file:///srv/app/index.mjs:10:5", "Error: x"],
    ["an asynchronous frame", "Error: x\n    at async Server.run (node:internal/a:1:2)\nMore.", "Error: x\nMore."],
    ["frames of Java", "Error: x\n\tat com.a.Main.run(Main.java:12)\n\t... 3 more", "Error: x"],
    [
      "a traceback of Python",
      'Traceback (most recent call last):\n  File "/srv/a.py", line 3, in run\n    do(it)\n    ~~^^^^\nValueError: bad id',
      "ValueError: bad id",
    ],
  ])("removes %s", (_, text, expected) => {
    expect(withoutStackFrames(text)).toBe(expected);
  });

  it.each([
    "Meet at noon (room 12:30).",
    "Failed at line 3: unexpected token.",
    'File "a.txt" not found.',
    "The shop is at https://example.com:8080/a:1:2 today.",
    "No user at example.com\n\n",
  ])("leaves %j unchanged", (text) => {
    expect(withoutStackFrames(text)).toBe(text);
  });

  it("only removes text, whatever the text is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        const stripped = withoutStackFrames(text);
        expect(stripped.length).toBeLessThanOrEqual(text.length);
        expect(withoutStackFrames(stripped)).toBe(stripped);
      }),
    );
  });

  it("takes linear time", () => {
    const hostile = `at ${"a ".repeat(40_000)}(`;
    const began = performance.now();
    withoutStackFrames(hostile);
    withoutLocalPaths("/".repeat(90_000));
    expect(performance.now() - began).toBeLessThan(1000);
  });
});

describe("withoutLocalPaths", () => {
  it.each<[string, string]>([
    [`Cannot find module '${join(homedir(), "project", "server.mjs")}'`, "Cannot find module 'server.mjs'"],
    [`Cannot read ${join(tmpdir(), "a-1", "b.json")}.`, "Cannot read b.json."],
    ["imported from /srv/app/node_modules/@acme/mcp/dist/index.js", "imported from @acme/mcp/dist/index.js"],
    ["C:\\Users\\ann\\server.js failed", "server.js failed"],
  ])("shortens the path in %j", (text, expected) => {
    expect(withoutLocalPaths(text)).toBe(expected);
  });

  it.each(["The command /usr/bin/node was not found", "GET https://api.example.com/tmp/x failed", "and/or/tmp"])(
    "leaves %j unchanged",
    (text) => {
      expect(withoutLocalPaths(text)).toBe(text);
    },
  );
});
