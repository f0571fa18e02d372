import { describe, expect, it } from "vitest";
import { windowsCommandLine } from "./windows-command.js";

const files = new Set(["C:\\node\\npx.CMD", "C:\\node\\node.EXE", "C:\\work\\run.bat"]);
const search = {
  env: { Path: "C:\\other;C:\\node", PATHEXT: ".COM;.EXE;.CMD", ComSpec: "C:\\Windows\\cmd.exe" },
  cwd: "C:\\work",
  exists: (path: string) => files.has(path),
};

describe("windowsCommandLine", () => {
  it("starts a program directly", () => {
    expect(windowsCommandLine("node", ["a b", "c&d"], search)).toEqual({
      file: "C:\\node\\node.EXE",
      args: ["a b", "c&d"],
      verbatim: false,
    });
  });

  it("runs a batch file through cmd.exe with quoted arguments", () => {
    expect(windowsCommandLine("npx", ["-y", "a server", "dir\\"], search)).toEqual({
      file: "C:\\Windows\\cmd.exe",
      args: ["/d", "/s", "/c", '""C:\\node\\npx.CMD" "-y" "a server" "dir\\\\""'],
      verbatim: true,
    });
  });

  it("resolves a path relative to the working directory", () => {
    expect(windowsCommandLine(".\\run.bat", [], search).args.at(-1)).toBe('""C:\\work\\run.bat""');
  });

  it("keeps a command that is not found", () => {
    expect(windowsCommandLine("missing", ["x"], search)).toEqual({ file: "missing", args: ["x"], verbatim: false });
  });

  it.each(["%PATH%", 'a"b', "a&b", "a|b", "a^b", "a<b", "a>b", "a!b", "a\nb"])(
    "rejects %j as an argument of a batch file",
    (argument) => {
      expect(() => windowsCommandLine("npx", [argument], search)).toThrowError(
        expect.objectContaining({ code: "CONFIGURATION_ERROR" }),
      );
    },
  );
});
