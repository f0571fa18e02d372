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
      placeholders: [{ index: 3, word: "<number>" }],
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

  it("omits an option if an optional variable has the same value", () => {
    const given = [
      { value: "--api-key" },
      { value: "YOUR_API_KEY", isPlaceholder: true },
      { value: "--figma-api-key=KEY", isPlaceholder: true },
      { value: "-v" },
    ];
    const variables = [{ name: "SMS_API_KEY" }, { name: "FIGMA_API_KEY" }];
    const draft = toServerDraft({ ...entry, arguments: given, variables });
    expect(draft).toMatchObject({ connection: { args: ["-y", "@acme/mcp-server-sms@1.2.3", "-v"] }, placeholders: [] });
    const required = toServerDraft({
      ...entry,
      arguments: given,
      variables: [{ name: "SMS_API_KEY", isRequired: true }],
    });
    expect(required.placeholders.map(({ word }) => word)).toEqual(["YOUR_API_KEY", "--figma-api-key=KEY"]);
  });

  it("escapes variables and secret references in texts of the directory", () => {
    const evil = "${command:touch pwned}";
    const given = [
      { value: evil },
      { value: `x${evil}`, isPlaceholder: true },
      { value: "${workspaceFolder}", isPlaceholder: true },
    ];
    const { connection, placeholders } = toServerDraft({ ...entry, arguments: given });
    expect(connection).toMatchObject({
      args: ["-y", "@acme/mcp-server-sms@1.2.3", `$${evil}`, "x<command:touch pwned>", "<folder>"],
    });
    expect(placeholders).toEqual([
      { index: 3, word: "x<command:touch pwned>" },
      { index: 4, word: "<folder>", example: "~/documents" },
    ]);
    const remote = { url: `https://a.example/${evil}`, headers: [] };
    expect(toServerDraft({ ...bare, remote }).connection).toEqual({ kind: "http", url: `https://a.example/$${evil}` });
  });

  it("uses the remote server if there is no package", () => {
    const remote = { url: "https://sms.example/mcp", headers: [{ name: "Authorization", isSecret: true }] };
    expect(toServerDraft({ ...bare, transport: "streamable-http", remote })).toMatchObject({
      connection: { kind: "http", url: "https://sms.example/mcp" },
      inputs: remote.headers,
    });
  });

  it("rejects an entry without a version", () => {
    expect(() => toServerDraft(bare)).toThrow("has no version");
  });
});

describe("verifyIntegrity", () => {
  it("queries npm for the exact version and accepts the same integrity", async () => {
    const asked: string[] = [];
    const run = async (command: string, args: readonly string[]) => {
      asked.push([command, ...args].join(" "));
      return '"sha512-good"\n';
    };
    await verifyIntegrity(entry, run);
    expect(asked).toEqual(["npm view @acme/mcp-server-sms@1.2.3 dist.integrity --json"]);
  });

  it.each(['"sha512-other"', "{}"])("rejects the package if the registry has %s", async (answer) => {
    await expect(verifyIntegrity(entry, async () => answer)).rejects.toMatchObject({ code: "SIGNATURE_INVALID" });
  });

  it("rejects the package if npm cannot be run", async () => {
    const run = () => Promise.reject(new Error("offline"));
    await expect(verifyIntegrity(entry, run)).rejects.toMatchObject({ code: "SERVER_CONNECTION_ERROR" });
  });
});
