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

  it("is true for a server with a variable that is not set", () => {
    const unset = (): never => {
      throw new DiscoveryError("CONFIGURATION_ERROR", "The variable TOKEN is not set.");
    };
    expect(cannotStart(targetOf(unset), runtime)).toBe(true);
  });
});
