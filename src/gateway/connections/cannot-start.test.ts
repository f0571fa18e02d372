import { basename, dirname } from "node:path";
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
const targetOf = (written: () => ServerConnection) => (): ConnectionTarget =>
  ({ name: "s", written }) as ConnectionTarget;

describe.skipIf(process.platform === "win32")("a server", () => {
  it.each<[string, ServerConnection, boolean]>([
    ["a command on the path", stdio(basename(node)), false],
    ["a command by its full path", stdio(node), false],
    ["a command in its own folder", stdio(`./${basename(node)}`, { cwd: dirname(node) }), false],
    ["a command on a path of its own", stdio(basename(node), { env: { PATH: "/nowhere" } }), true],
    ["a command that is not on the path", stdio("no-such-command"), true],
    ["a command that is no file", stdio(dirname(node)), true],
    ["an address", { kind: "http", url: "https://example.com", headers: {} }, false],
  ])("with %s", (_, connection, expected) => {
    expect(
      cannotStart(
        targetOf(() => connection),
        runtime,
      ),
    ).toBe(expected);
  });

  it("cannot start with a variable that is not set", () => {
    const unset = (): never => {
      throw new DiscoveryError("CONFIGURATION_ERROR", "The variable TOKEN is not set.");
    };
    expect(cannotStart(targetOf(unset), runtime)).toBe(true);
  });
});
