import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace } from "../../../../test/support/cli.js";

let place: CliPlace;
let registry: Server | undefined;

beforeAll(() => {
  place = createCliPlace({ servers: [] });
});
afterEach(() => void registry?.close());
afterAll(() => place.remove());

interface Found {
  readonly verdict: string;
  readonly servers: readonly { readonly name: string; readonly add: string }[];
  readonly closest: readonly { readonly name: string }[];
}

async function serve(servers: readonly object[]): Promise<string> {
  const started = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ servers, metadata: {} }));
  });
  registry = started;
  await new Promise<void>((resolve) => started.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
}

const listed = {
  server: {
    name: "io.github.acme/sms",
    description: "Send an SMS with Acme",
    version: "1.2.3",
    packages: [{ registryType: "npm", identifier: "@acme/sms", version: "1.2.3", transport: { type: "stdio" } }],
  },
};

describe("mcp find", () => {
  it("prints the servers that fit, with the command that adds them", async () => {
    const { exit, stdout } = await place.run("mcp", "find", "create", "a", "Trello", "card");
    expect(exit).toBe(0);
    expect(stdout).toContain('for "create a Trello card":');
    expect(stdout).toContain("Add it: anygpt mcp add @delorenj/mcp-server-trello");
    expect(stdout).not.toContain("Closest");
  });

  it("finds Twilio for an SMS", async () => {
    const found = (await place.run("mcp", "find", "send an SMS", "--json")).json() as Found;
    expect(found.verdict).toBe("match");
    expect(found.servers.map(({ name }) => name)).toContain("@twilio-alpha/mcp");
  });

  it("lists at most three servers as closest and exits with 2 when none fits well", async () => {
    const { exit, stdout } = await place.run("mcp", "find", "book a flight", "--limit", "9");
    expect(exit).toBe(2);
    expect(stdout.replace(/\s+/gu, " ")).toContain('No known server matches "book a flight" well.');
    expect(stdout).toContain("Closest matches, which are probably not what you want:");
    expect(stdout.match(/Add it: /gu)?.length).toBe(3);
  });

  it("prints the verdict as JSON", async () => {
    const ran = await place.run("mcp", "find", "book a flight", "--json");
    const found = ran.json() as Found;
    expect(ran.exit).toBe(2);
    expect(found).toMatchObject({ query: "book a flight", verdict: "no-match", servers: [] });
    expect(found.closest).toHaveLength(3);
  });

  it("lists nothing when no word is known", async () => {
    const ran = await place.run("mcp", "find", "qzxqzx", "--json");
    expect(ran.exit).toBe(2);
    expect(ran.json()).toEqual({ query: "qzxqzx", verdict: "no-match", servers: [], closest: [] });
  });

  it("rejects an empty query", async () => {
    const { exit, stderr } = await place.run("mcp", "find", " ");
    expect(exit).not.toBe(0);
    expect(stderr).toContain("The query is empty.");
  });

  it("searches the registry of ANYGPT_REGISTRY_URL with --online", async () => {
    const env = { ANYGPT_REGISTRY_URL: await serve([listed]) };
    const ran = await place.runWith({ env }, "mcp", "find", "send an SMS", "--online", "--json");
    expect(ran.exit).toBe(0);
    expect((ran.json() as Found).servers.map(({ add }) => add)).toEqual([
      "anygpt mcp add sms -- npx -y @acme/sms@1.2.3",
    ]);
  });

  it("names the offline directory when the registry cannot be reached", async () => {
    const url = await serve([]);
    await new Promise((resolve) => registry?.close(resolve));
    const env = { ANYGPT_REGISTRY_URL: url };
    const { exit, stderr } = await place.runWith({ env }, "mcp", "find", "send an SMS", "--online");
    expect(exit).not.toBe(0);
    expect(stderr.replace(/\s+/gu, " ")).toContain("repeat the command without --online");
  });
});
