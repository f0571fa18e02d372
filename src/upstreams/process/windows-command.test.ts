import { describe, expect, it } from "vitest";
import { windowsCommandLine } from "./windows-command.js";

const files = new Set(["C:\\node\\npx.CMD", "C:\\node\\node.EXE", "C:\\work\\run.bat"]);
const search = {
  env: { Path: "C:\\other;C:\\node", PATHEXT: ".COM;.EXE;.CMD", ComSpec: "C:\\Windows\\cmd.exe" },
  cwd: "C:\\work",
  exists: (path: string) => files.has(path),
};

describe("a command on Windows", () => {
  it("is started directly when it is a program", () => {
    expect(windowsCommandLine("node", ["a b", "c&d"], search)).toEqual({
      file: "C:\\node\\node.EXE",
      args: ["a b", "c&d"],
      verbatim: false,
    });
  });

  it("goes through cmd.exe with quoted arguments when it is a batch file", () => {
    expect(windowsCommandLine("npx", ["-y", "a server", "dir\\"], search)).toEqual({
      file: "C:\\Windows\\cmd.exe",
      args: ["/d", "/s", "/c", '""C:\\node\\npx.CMD" "-y" "a server" "dir\\\\""'],
      verbatim: true,
    });
  });

  it("is found relative to the working directory when it is a path", () => {
    expect(windowsCommandLine(".\\run.bat", [], search).args.at(-1)).toBe('""C:\\work\\run.bat""');
  });

  it("stays as it is when it is not found", () => {
    expect(windowsCommandLine("missing", ["x"], search)).toEqual({ file: "missing", args: ["x"], verbatim: false });
  });

  it.each(["%PATH%", 'a"b', "a&b", "a|b", "a^b", "a<b", "a>b", "a!b", "a\nb"])(
    "refuses to pass %j to a batch file",
    (argument) => {
      expect(() => windowsCommandLine("npx", [argument], search)).toThrowError(
        expect.objectContaining({ code: "CONFIGURATION_ERROR" }),
      );
    },
  );
});
