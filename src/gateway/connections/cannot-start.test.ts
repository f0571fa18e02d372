import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { DiscoveryError } from "../../errors.js";
import type { ServerConnection } from "../../model/server.js";
import { cannotStart } from "./cannot-start.js";
import type { ConnectionTarget } from "./connection-resolver.js";

const node = process.execPath;
const runtime = { cwd: dirname(node), env: { PATH: dirname(node) } };
const stdio = (command: string, more: object = {}): ServerConnection => ({
  kind: "stdio",
  command,
  args: [],
  env: {},
  ...more,
});
const targetOf = (withoutSecrets: () => ServerConnection) => (): ConnectionTarget =>
  ({ name: "s", withoutSecrets }) as ConnectionTarget;

describe.skipIf(process.platform === "win32")("cannotStart", () => {
  it.each<[string, ServerConnection, boolean]>([
    ["a command on the path", stdio(basename(node)), false],
    ["a command by its full path", stdio(node), false],
    ["a relative command in its working folder", stdio(`./${basename(node)}`, { cwd: dirname(node) }), false],
    ["its own PATH without the command", stdio(basename(node), { env: { PATH: "/nowhere" } }), true],
    ["a command that is not on the path", stdio("no-such-command"), true],
    ["a folder as command", stdio(dirname(node)), true],
    ["a URL", { kind: "http", url: "https://example.com", headers: {} }, false],
  ])("for a server with %s", (_, connection, expected) => {
    expect(
      cannotStart(
        targetOf(() => connection),
        runtime,
      ),
    ).toBe(expected);
  });

  it("skips folders of the PATH that cannot be read", () => {
    const folder = mkdtempSync(join(tmpdir(), "cannot-start-"));
    const loop = join(folder, "loop");
    symlinkSync(loop, loop);
    const PATH = [join(loop, "bin"), dirname(node)].join(delimiter);
    const target = targetOf(() => stdio(basename(node), { env: { PATH } }));
    expect(cannotStart(target, runtime)).toBe(false);
    rmSync(folder, { recursive: true });
  });

  it("is true for a server with a variable that is not set", () => {
    const unset = (): never => {
      throw new DiscoveryError("CONFIGURATION_ERROR", "The variable TOKEN is not set.");
    };
    expect(cannotStart(targetOf(unset), runtime)).toBe(true);
  });
});
