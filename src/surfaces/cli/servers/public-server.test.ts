import { chmodSync, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace } from "../../../../test/support/cli.js";
import { openDirectory } from "../../../directory/directory.js";

const NAME = "@delorenj/mcp-server-trello";
let place: CliPlace;
beforeEach(() => void (place = createCliPlace()));
afterEach(() => place.remove());

/** An npm that states an integrity for everything. */
function withNpm(integrity: string) {
  chmodSync(place.write("bin/npm", `#!/bin/sh\necho '"${integrity}"'\n`), 0o755);
  return { env: { PATH: `${join(place.folder, "bin")}:${process.env["PATH"] ?? ""}`, TRELLO_TOKEN: "t" } };
}

async function listed() {
  const source = (await openDirectory().get(NAME))?.package;
  return { version: source?.version ?? "", integrity: source?.integrity ?? "" };
}

const file = (): string => join(place.folder, "state/mcp-discovery.config.yaml");

describe("anygpt mcp add NAME of a public server", () => {
  it("pins the version, compares the integrity, and says what has to be set", async () => {
    const { version, integrity } = await listed();
    const words = ["mcp", "add", NAME, "--as", "boards", "--no-check", "--yes"];
    const { exit, stdout } = await place.runWith(withNpm(integrity), ...words);
    expect(exit).toBe(0);
    expect(stdout).toContain(`boards starts npx -y ${NAME}@${version}`);
    expect(stdout).toContain(`Integrity ${integrity}, as the registry states it now.`);
    expect(stdout).toContain("It needs TRELLO_API_KEY. Set it in the environment or in ~/.ai/.env");
    expect(readFileSync(file(), "utf8")).toContain(
      `  boards:\n    command: npx\n    args:\n      - -y\n      - "${NAME}@${version}"\n    env:\n      TRELLO_API_KEY: \${TRELLO_API_KEY}\n      TRELLO_TOKEN: \${TRELLO_TOKEN}\n`,
    );
  });

  it("writes nothing when the registry states another integrity", async () => {
    const { exit, stderr } = await place.runWith(withNpm("sha512-other"), "mcp", "add", NAME, "--yes");
    expect([exit, existsSync(file())]).toEqual([expect.any(Number), false]);
    expect(exit).not.toBe(0);
    expect(stderr).toContain("is not the one that the directory lists");
  });

  it("is an error without --yes where nobody can be asked", async () => {
    const { exit, stdout, stderr } = await place.runWith(withNpm((await listed()).integrity), "mcp", "add", NAME);
    expect([exit, existsSync(file())]).toEqual([1, false]);
    expect(stdout).toContain(`npx -y ${NAME}`);
    expect(stderr).toContain("with --yes");
  });

  it("gives the whole command for a server that needs arguments of the user", async () => {
    const { exit, stderr } = await place.run("mcp", "add", "@azure-devops/mcp", "--yes");
    expect(exit).toBe(1);
    expect(stderr).toMatch(/anygpt mcp add \S+ -- npx -y @azure-devops\/mcp@\S+ '\$\{input:ado_org\}'/);
  });

  it("takes the whole command that `find --online` prints", async () => {
    const found = {
      name: "com.acme/sms",
      description: "Send an SMS",
      version: "1.0.0",
      packages: [
        {
          registryType: "npm",
          identifier: "acme-sms",
          version: "1.2.3",
          transport: { type: "stdio" },
          environmentVariables: [{ name: "SMS_TOKEN", isRequired: true }],
        },
      ],
    };
    const registry = createServer(
      (_request, response) => void response.end(JSON.stringify({ servers: [{ server: found }] })),
    );
    await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
    const env = { ANYGPT_REGISTRY_URL: `http://127.0.0.1:${(registry.address() as AddressInfo).port}` };
    const ran = await place.runWith({ env }, "mcp", "find", "sms", "--online", "--json");
    registry.close();
    const { servers } = ran.json() as { servers: { add: string }[] };
    expect(servers[0]?.add).toMatch(/^anygpt mcp add \S+ --env SMS_TOKEN -- npx -y acme-sms@1\.2\.3$/);
    const [, ...words] = (servers[0]?.add ?? "").split(" ");
    expect((await place.run(...words.toSpliced(2, 0, "--no-check"))).exit).toBe(0);
    expect(readFileSync(file(), "utf8")).toContain("acme-sms@1.2.3");
  });

  it("points to `find` for a name that nobody knows", async () => {
    const { exit, stderr } = await place.run("mcp", "add", "no-such-server-at-all");
    expect([exit, stderr]).toEqual([1, expect.stringContaining("anygpt mcp find no-such-server-at-all")]);
  });
});
