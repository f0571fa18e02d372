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

describe("this gateway", () => {
  it("finds its programs and its folder", () => {
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
  ])("detects itself through a link on the PATH (%s): %s %j", (expected, command, args) => {
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
  const PRINT_PARENT = "console.log(process.ppid); setInterval(() => {}, 1000);";

  /** Checks the process whose id the started program prints. */
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
    [true, "by a relative path", ["gateway.mjs"]],
    [true, "after options", ["--no-warnings", "--import", "./empty.mjs", "gateway.mjs", "--json"]],
    [false, "of another script", ["other.mjs"]],
    [false, "of a launcher with the gateway as argument", ["other.mjs", "node", "FOLDER/gateway.mjs"]],
    [false, "of a script in an argument", ["--input-type=module", "-e", START, "FOLDER/gateway.mjs"]],
    [false, "of another script with the gateway as argument", ["--import", "./empty.mjs", "other.mjs", "gateway.mjs"]],
  ])("is detected (%s): %s", async (expected, _, args) => {
    for (const name of ["gateway.mjs", "other.mjs"]) writeFileSync(join(folder, name), START);
    writeFileSync(join(folder, "empty.mjs"), "");
    symlinkSync(join(folder, "gateway.mjs"), join(folder, "link.mjs"));
    const placed = args.map((word) => word.replace("FOLDER", folder));
    expect(await isInside(placed, "gateway.mjs")).toBe(expected);
  });

  it("does not match a process that watches and restarts the file", async () => {
    writeFileSync(join(folder, "gateway.mjs"), PRINT_PARENT);
    expect(await isInside(["--watch", "gateway.mjs"], "gateway.mjs")).toBe(false);
  });

  it("does not match the parent processes of these tests", () => {
    expect(hasOwnAncestor(findOwnProgram({}), process.pid)).toBe(false);
  });
});
