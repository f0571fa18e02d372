import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ROOT } from "../test/support/gateway.js";
import { findOwnProgram, hasOwnAncestor } from "./own-program.js";
import { isGatewayItself } from "./sources/itself.js";

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
  /** The answer for a process that was started through `sh` by the script. */
  async function isInside(script: string, own: readonly string[]): Promise<boolean> {
    const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
    const pid = await new Promise<number>((resolve) => child.stdout.once("data", (data) => resolve(Number(data))));
    try {
      return hasOwnAncestor({ paths: own }, pid);
    } finally {
      child.kill();
    }
  }

  it("is found however far up it is, and nobody else is taken for it", async () => {
    const script = join(folder, "gateway.mjs");
    const link = join(folder, "link.mjs");
    writeFileSync(
      script,
      `import { spawn } from "node:child_process"; spawn("sh", ["-c", "env -i sh -c 'echo \\\\$\\\\$; read x'; :"], { stdio: ["pipe", "inherit", "inherit"] });`.replaceAll(
        "\\\\",
        "",
      ),
    );
    symlinkSync(script, link);
    expect(await isInside(script, [script])).toBe(true);
    expect(await isInside(link, [script])).toBe(true);
    expect(await isInside(script, [join(folder, "other.mjs")])).toBe(false);
    expect(hasOwnAncestor({ paths: [script] }, process.pid)).toBe(false);
  });
});
