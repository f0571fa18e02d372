import { describe, expect, it } from "vitest";
import type { DirectoryEntry } from "./entry.js";
import { toServerDraft, verifyIntegrity } from "./server-draft.js";

const entry: DirectoryEntry = {
  name: "@acme/mcp-server-sms",
  description: "",
  package: { registry: "npm", identifier: "@acme/mcp-server-sms", version: "1.2.3", integrity: "sha512-good" },
  transport: "stdio",
  arguments: [{ value: "--from" }, { value: "<number>", isPlaceholder: true }],
  variables: [{ name: "SMS_TOKEN", isRequired: true, isSecret: true }],
  tools: [],
};
const { package: _package, ...bare } = entry;

describe("toServerDraft", () => {
  it("pins the command to the exact version", () => {
    expect(toServerDraft(entry)).toEqual({
      name: "sms",
      connection: { kind: "stdio", command: "npx", args: ["-y", "@acme/mcp-server-sms@1.2.3", "--from", "<number>"] },
      inputs: entry.variables,
      placeholders: ["<number>"],
      integrity: "sha512-good",
    });
  });

  it.each([
    ["pypi", "acme-sms", { command: "uvx", args: ["acme-sms==1.2.3", "--from", "<number>"] }],
    [
      "oci",
      "ghcr.io/acme/sms",
      {
        command: "docker",
        args: ["run", "-i", "--rm", "-e", "SMS_TOKEN", "ghcr.io/acme/sms:1.2.3", "--from", "<number>"],
      },
    ],
  ] as const)("writes the command for a package of %s", (registry, identifier, command) => {
    const draft = toServerDraft({ ...entry, package: { registry, identifier, version: "1.2.3" } });
    expect(draft.connection).toMatchObject(command);
  });

  it("takes the remote server where there is no package", () => {
    const remote = { url: "https://sms.example/mcp", headers: [{ name: "Authorization", isSecret: true }] };
    expect(toServerDraft({ ...bare, transport: "streamable-http", remote })).toMatchObject({
      connection: { kind: "http", url: "https://sms.example/mcp" },
      inputs: remote.headers,
    });
  });

  it("refuses an entry without a version", () => {
    expect(() => toServerDraft(bare)).toThrow("no version");
  });
});

describe("verifyIntegrity", () => {
  it("asks npm about the exact version and accepts the same integrity", async () => {
    const asked: string[] = [];
    const run = async (command: string, args: readonly string[]) => {
      asked.push([command, ...args].join(" "));
      return '"sha512-good"\n';
    };
    await verifyIntegrity(entry, run);
    expect(asked).toEqual(["npm view @acme/mcp-server-sms@1.2.3 dist.integrity --json"]);
  });

  it.each(['"sha512-other"', "{}"])("refuses when the registry states %s", async (answer) => {
    await expect(verifyIntegrity(entry, async () => answer)).rejects.toMatchObject({ code: "SIGNATURE_INVALID" });
  });

  it("refuses when npm cannot be asked", async () => {
    const run = () => Promise.reject(new Error("offline"));
    await expect(verifyIntegrity(entry, run)).rejects.toMatchObject({ code: "SERVER_CONNECTION_ERROR" });
  });
});
