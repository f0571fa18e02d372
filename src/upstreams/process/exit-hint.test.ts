import { describe, expect, it } from "vitest";
import { type ExitedServer, hintFor } from "./exit-hint.js";

const ended = (stderr: string[], more: Partial<ExitedServer> = {}): ExitedServer => ({
  server: "brave",
  command: "npx",
  args: ["-y", "brave-mcp"],
  stderr,
  ...more,
});
const NEEDS = "Error: BRAVE_API_KEY environment variable is required";

describe("hintFor", () => {
  it("explains how to pass on a variable that is set in the gateway's environment", () => {
    expect(hintFor(ended([NEEDS], { gatewayEnv: { BRAVE_API_KEY: "x" } }))).toBe(
      "BRAVE_API_KEY is set in the gateway's environment, but the gateway passes on only the variables that the entry lists. Pass it on: `anygpt mcp add brave --replace --env BRAVE_API_KEY -- npx -y brave-mcp`.",
    );
  });

  it("reports an unset variable and refers to the edit command when the arguments are unknown", () => {
    const hint = hintFor(ended(["GOOGLE_MAPS_API_KEY environment variable is not set"], { args: undefined }));
    expect(hint).toContain("GOOGLE_MAPS_API_KEY is not set in the gateway's environment");
    expect(hint).toContain(
      'run `anygpt mcp edit` and add "GOOGLE_MAPS_API_KEY": "${GOOGLE_MAPS_API_KEY}" to `env` of brave.',
    );
  });

  it.each([
    [[NEEDS], { childEnv: { BRAVE_API_KEY: "wrong" } }],
    [["Error [ERR_MODULE_NOT_FOUND]: Cannot find package, MODULE_NOT_FOUND is required"], {}],
    [["BRAVE_API_KEY was accepted"], {}],
  ])("returns no hint for %j with %j", (stderr, more) => {
    expect(hintFor(ended(stderr, more))).toBeUndefined();
  });

  it.each([
    ["npm error 404 Not Found - GET https://registry.example/@acme%2fnone - Not found", "@acme/none"],
    ["npm ERR! 404 Not Found - GET http://127.0.0.1:4873/none", "none"],
  ])("names the package that is missing in the npm registry: %s", (line, name) => {
    expect(hintFor(ended(["npm error code E404", line]))).toBe(
      `The npm registry has no package ${name}. Check its name with \`anygpt mcp find\`, or remove the entry with \`anygpt mcp remove brave\`.`,
    );
  });
});
