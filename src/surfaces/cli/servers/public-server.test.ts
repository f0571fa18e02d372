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

/** A fake npm that returns an integrity for every package. */
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
  it("pins the version, compares the integrity, and names the variables to set", async () => {
    const { version, integrity } = await listed();
    const words = ["mcp", "add", NAME, "--as", "boards", "--no-check", "--yes"];
    const { exit, stdout } = await place.runWith(withNpm(integrity), ...words);
    expect(exit).toBe(0);
    expect(stdout).toContain(`boards starts npx -y ${NAME}@${version}`);
    expect(stdout).toContain(`Integrity ${integrity}, the same in the package registry.`);
    expect(stdout).toContain("The server needs TRELLO_API_KEY. Set it in the environment or in ~/.ai/.env");
    expect(readFileSync(file(), "utf8")).toContain(
      `  boards:\n    command: npx\n    args:\n      - -y\n      - "${NAME}@${version}"\n    env:\n      TRELLO_API_KEY: \${TRELLO_API_KEY}\n      TRELLO_TOKEN: \${TRELLO_TOKEN}\n    integrity: ${integrity}\n`,
    );
  });

  it("writes nothing when the registry states another integrity", async () => {
    const { exit, stderr } = await place.runWith(withNpm("sha512-other"), "mcp", "add", NAME, "--yes");
    expect([exit, existsSync(file())]).toEqual([expect.any(Number), false]);
    expect(exit).not.toBe(0);
    expect(stderr).toContain("is not the one that the directory lists");
  });

  it("is an error without --yes if there is no terminal", async () => {
    const { exit, stdout, stderr } = await place.runWith(withNpm((await listed()).integrity), "mcp", "add", NAME);
    expect([exit, existsSync(file())]).toEqual([1, false]);
    expect(stdout).toContain(`npx -y ${NAME}`);
    expect(stderr).toContain("with --yes");
  });

  it("prints the complete command for a server that needs arguments from the user", async () => {
    const { exit, stderr } = await place.run("mcp", "add", "@azure-devops/mcp", "--yes");
    expect(exit).toBe(1);
    expect(stderr).toMatch(/anygpt mcp add \S+ -- npx -y @azure-devops\/mcp@\S+ '<ado_org>'/);
  });

  it("prints a command that can be pasted for a server that needs a folder, and rejects a placeholder", async () => {
    const { exit, stderr } = await place.run("mcp", "add", "@modelcontextprotocol/server-filesystem", "--yes");
    expect(exit).toBe(1);
    expect(stderr.replace(/\s+/g, " ")).toMatch(
      /add filesystem -- npx -y @modelcontextprotocol\/server-filesystem@\S+ ~\/documents/,
    );
    const typed = await place.run("mcp", "add", "fs", "--no-check", "--", "npx", "x", "${workspaceFolder}");
    expect([typed.exit, typed.stderr]).toEqual([1, expect.stringContaining("is a placeholder")]);
  });

  it("adds a server without the option for which it has an optional variable", async () => {
    const source = (await openDirectory().get("@upstash/context7-mcp"))?.package;
    const ran = await place.runWith(
      withNpm(source?.integrity ?? ""),
      "mcp",
      "add",
      "@upstash/context7-mcp",
      "--yes",
      "--no-check",
    );
    expect(ran.exit).toBe(0);
    expect(readFileSync(file(), "utf8")).not.toContain("api-key");
  });

  it("lists the packages for a common name, and suggests --as if the name is used", async () => {
    const { exit, stderr } = await place.run("mcp", "add", "context7");
    expect([exit, stderr]).toEqual([1, expect.stringContaining("anygpt mcp add @upstash/context7-mcp")]);
    const { integrity } = await listed();
    place.write("state/mcp-discovery.config.yaml", "servers:\n  trello:\n    command: x\n");
    const taken = await place.runWith(withNpm(integrity), "mcp", "add", NAME, "--yes");
    expect([taken.exit, taken.stderr]).toEqual([1, expect.stringContaining("--as NAME")]);
  });

  it("accepts the complete command that `find --online` prints", async () => {
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

  it("suggests `find` for an unknown name", async () => {
    const { exit, stderr } = await place.run("mcp", "add", "no-such-server-at-all");
    expect([exit, stderr]).toEqual([1, expect.stringContaining("anygpt mcp find no-such-server-at-all")]);
  });
});
