import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type CliPlace, createCliPlace, toolServer } from "../../../../test/support/cli.js";

let place: CliPlace;
let script: string;
beforeEach(() => {
  place = createCliPlace();
  const { command, args } = toolServer(place, "one", { tools: [{ name: "t", inputSchema: { type: "object" } }] });
  const start = [command, ...args].map((word) => `'${word}'`).join(" ");
  script = place.write(
    "s.sh",
    `#!/bin/sh\n[ "$TOKEN" = good ] || { echo "Error: bad token" >&2; exit 1; }\nexec ${start}\n`,
  );
  chmodSync(script, 0o755);
});
afterEach(() => place.remove());

const configure = (entry: object): void =>
  void place.write("state/mcp-discovery.config.json", { servers: { x: entry } });
const states = async (env: Record<string, string>): Promise<string> => {
  const { stdout, stderr } = await place.runWith({ env: { PATH: process.env["PATH"] ?? "", ...env } }, "mcp", "list");
  return `${stdout}${stderr}`;
};

it.each([
  ["in its `env`", { env: { TOKEN: "${TOKEN}" } }],
  ["in its `inheritEnv`", { inheritEnv: ["TOKEN"] }],
])("starts a failed server again immediately after a variable %s was corrected", async (_which, more) => {
  configure({ command: script, ...more });
  expect(await states({ TOKEN: "bad" })).toContain("x: exited with code 1");
  const again = await states({ TOKEN: "bad" });
  expect(again).toMatch(
    /! 1 failed server was not started again \(next attempt in \d+ s\)\. Run `anygpt mcp doctor NAME` to start a server now\.\n/,
  );
  expect(await states({ TOKEN: "good" })).toMatch(/x +ready|x +connected/);
});

it("starts a failed server again immediately after its program was installed or added to the PATH", async () => {
  configure({ command: "zprog", inheritEnv: ["TOKEN"] });
  expect(await states({ TOKEN: "good" })).toContain("was not found");
  mkdirSync(join(place.folder, "bin"));
  const PATH = `${join(place.folder, "bin")}:${process.env["PATH"] ?? ""}`;
  expect(await states({ TOKEN: "good", PATH })).toContain("was not found");
  symlinkSync(script, join(place.folder, "bin/zprog"));
  expect(await states({ TOKEN: "good", PATH })).toMatch(/x +ready|x +connected/);
});
