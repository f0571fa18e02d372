import { describe, expect, it } from "vitest";
import { toAddCommand } from "./add-command.js";
import type { DirectoryEntry } from "./entry.js";

const entry: DirectoryEntry = {
  name: "@acme/mcp-server-sms",
  description: "",
  package: { registry: "npm", identifier: "@acme/mcp-server-sms", version: "1.2.3" },
  transport: "stdio",
  arguments: [{ value: "--from" }, { value: "it's <number>", isPlaceholder: true }],
  variables: [{ name: "SMS_TOKEN", isRequired: true }, { name: "SMS_REGION" }],
  tools: [],
};
const { package: _package, ...bare } = entry;

describe("toAddCommand", () => {
  it("pins the version, names the required variables and quotes for a shell", () => {
    expect(toAddCommand(entry)).toBe(
      String.raw`anygpt mcp add sms --env SMS_TOKEN -- npx -y @acme/mcp-server-sms@1.2.3 --from 'it'\''s <number>'`,
    );
  });

  it("writes the address and the headers of a remote server", () => {
    const remote = { url: "https://sms.example/mcp", headers: [{ name: "Authorization", isRequired: true }] };
    expect(toAddCommand({ ...bare, transport: "sse", remote })).toBe(
      "anygpt mcp add sms https://sms.example/mcp --transport sse --header 'Authorization: ${SMS_AUTHORIZATION}'",
    );
  });

  it("is undefined without a version, and without a package and an address", () => {
    expect(toAddCommand({ ...entry, package: { registry: "npm", identifier: "x" } })).toBeUndefined();
    expect(toAddCommand(bare)).toBeUndefined();
  });
});
