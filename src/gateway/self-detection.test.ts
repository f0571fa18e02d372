import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ROOT } from "../../test/support/gateway.js";
import { findOwnProgram, hasOwnAncestor } from "./self-detection.js";
import { isGatewayItself } from "../sources/itself.js";

let folder: string;
beforeEach(() => void (folder = realpathSync(mkdtempSync(join(tmpdir(), "own-")))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("this very gateway", () => {
  it("knows its programs and its folder", () => {
    const { paths, root } = findOwnProgram({});
    expect(paths).toEqual(["discovery.js", "anygpt.js"].map((name) => realpathSync(join(ROOT, "bin", name))));
    expect(root).toBe(realpathSync(ROOT));
  });

  it.each<[boolean, string, string[]]>([
    [true, "my-gateway", []],
    [true, "FOLDER/my-gateway", []],
    [true, "node", ["FOLDER/my-gateway"]],
    [true, "npx", ["-y", ROOT]],
    [false, "other", []],
    [false, "npx", ["-y", "@modelcontextprotocol/server-filesystem", ROOT]],
  ])("is %s recognised through a link on the PATH: %s %j", (expected, command, args) => {
    symlinkSync(join(ROOT, "bin/discovery.js"), join(folder, "my-gateway"));
    writeFileSync(join(folder, "other"), "");
    chmodSync(join(folder, "other"), 0o755);
    const own = findOwnProgram({ PATH: `/nowhere:${folder}` });
    const placed = [command, ...args].map((word) => word.replace("FOLDER", folder));
    const connection = { kind: "stdio", command: placed[0] ?? "", args: placed.slice(1), env: {} } as const;
    expect(isGatewayItself(connection, own)).toBe(expected);
  });
});

describe.runIf(process.platform === "linux")("an ancestor", () => {
  const START = `import { spawn } from "node:child_process"; spawn("sh", ["-c", "env -i sh -c 'echo $$; read x'; :"], { stdio: ["pipe", "inherit", "inherit"] });`;
  const TELL_PARENT = "console.log(process.ppid); setInterval(() => {}, 1000);";

  /** The answer for the process whose id is printed by what is started in the folder. */
  async function isInside(args: readonly string[], own: string): Promise<boolean> {
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
    const pid = await new Promise<number>((resolve) =>
      child.stdout.on("data", (data) => {
        const found = /\d+/.exec(String(data));
        if (found !== null) resolve(Number(found[0]));
      }),
    );
    try {
      return hasOwnAncestor({ paths: [join(folder, own)] }, pid);
    } finally {
      child.kill();
    }
  }

  it.each<[boolean, string, string[]]>([
    [true, "by its path", ["FOLDER/gateway.mjs"]],
    [true, "by a link", ["FOLDER/link.mjs"]],
    [true, "by a path from where it was started", ["gateway.mjs"]],
    [true, "behind options", ["--no-warnings", "--import", "./empty.mjs", "gateway.mjs", "--json"]],
    [false, "of another script", ["other.mjs"]],
    [false, "of a launcher that is told to start it", ["other.mjs", "node", "FOLDER/gateway.mjs"]],
    [false, "of a program given as text", ["--input-type=module", "-e", START, "FOLDER/gateway.mjs"]],
    [false, "of what only loads it before", ["--import", "./empty.mjs", "other.mjs", "gateway.mjs"]],
  ])("is %s however far up: found %s", async (expected, _, args) => {
    for (const name of ["gateway.mjs", "other.mjs"]) writeFileSync(join(folder, name), START);
    writeFileSync(join(folder, "empty.mjs"), "");
    symlinkSync(join(folder, "gateway.mjs"), join(folder, "link.mjs"));
    const placed = args.map((word) => word.replace("FOLDER", folder));
    expect(await isInside(placed, "gateway.mjs")).toBe(expected);
  });

  it("does not match a process that watches and restarts the file", async () => {
    writeFileSync(join(folder, "gateway.mjs"), TELL_PARENT);
    expect(await isInside(["--watch", "gateway.mjs"], "gateway.mjs")).toBe(false);
  });

  it("does not match the parent processes of these tests", () => {
    expect(hasOwnAncestor(findOwnProgram({}), process.pid)).toBe(false);
  });
});
