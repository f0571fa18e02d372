import { describe, expect, it } from "vitest";
import { createLog, type LogFacts, type LogOptions, parseLogOptions } from "./log.js";

function logged(options: LogOptions, message: string, facts?: LogFacts): string {
  let text = "";
  createLog({ ...options, now: () => Date.UTC(2026, 0, 2), write: (more) => void (text += more) })(message, facts);
  return text;
}

describe("createLog", () => {
  it("writes the message in text format", () => {
    expect(logged({ format: "text", level: "info" }, "Starting echo.")).toBe("Starting echo.\n");
  });

  it("adds the request id once", () => {
    expect(logged({ format: "text", level: "info" }, "It failed.", { request_id: "r1" })).toBe("It failed. [r1]\n");
    expect(logged({ format: "text", level: "info" }, "r1 failed.", { request_id: "r1" })).toBe("r1 failed.\n");
  });

  it("writes one JSON object with the facts in JSON format", () => {
    const text = logged({ format: "json", level: "info" }, "a\nb", { level: "error", request_id: "r1", tool: "a:b" });
    expect(text.match(/\n/g)).toHaveLength(1);
    expect(JSON.parse(text)).toEqual({
      time: "2026-01-02T00:00:00.000Z",
      level: "error",
      message: "a\nb",
      request_id: "r1",
      tool: "a:b",
    });
  });

  it.each(["text", "json"] as const)("writes no control characters to the terminal as %s", (format) => {
    expect(logged({ format, level: "info" }, "\u001b[2Jx")).not.toContain("\u001b");
  });

  it.each([
    ["info", "debug", false],
    ["info", "info", true],
    ["info", "error", true],
    ["debug", "debug", true],
    ["error", "warn", false],
  ] as const)("at the level %s, one of %s is written: %s", (level, given, isWritten) => {
    expect(logged({ format: "text", level }, "x", { level: given }) !== "").toBe(isWritten);
  });
});

describe("parseLogOptions", () => {
  it.each([
    ["debug", { level: "debug" }],
    ["json", { format: "json" }],
    ["JSON, warn", { level: "warn", format: "json" }],
    ["", {}],
    ["loud", undefined],
    ["debug,info", undefined],
  ])("%j", (text, expected) => {
    expect(parseLogOptions(text)).toEqual(expected);
  });
});
