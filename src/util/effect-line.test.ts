import { expect, it } from "vitest";
import { effectLine, type ServerEffect } from "./effect-line.js";

it.each<[ServerEffect, string]>([
  [{ name: "a", command: "x", args: ["-y", "b c"] }, 'a starts x -y "b c"'],
  [{ name: "a", url: "https://x/mcp" }, "a connects to https://x/mcp"],
  [{ name: "a" }, "a connects to nothing"],
  [
    {
      name: "a",
      command: "x",
      env: { NODE_OPTIONS: "--require=/x.cjs", API_TOKEN: "abcdef", T: "${TOKEN} ${HOST:-h} $${NOT}", S: "${S}" },
      cwd: "/w",
      envFile: ".env",
    },
    'a starts x (in /w; sets NODE_OPTIONS=--require=/x.cjs, "API_TOKEN=***", "T=${TOKEN} ${HOST:-h} $${NOT}"; gets your variables TOKEN, HOST, S; reads variables from .env)',
  ],
  [
    { name: "a", url: "https://x/${ID}", headers: { Authorization: "Bearer ${TOKEN}" } },
    "a connects to https://x/${ID} (sends the headers Authorization; gets your variables ID, TOKEN)",
  ],
  [{ name: "a", command: "x", env: { TOKEN: "${TOKEN}" } }, "a starts x (gets your variable TOKEN)"],
  [{ name: "a", command: "x", inheritEnv: ["AWS_*", "*"] }, 'a starts x (inherits from your environment "AWS_*", "*")'],
  [
    { name: "a", command: "node", args: ["/x", "--api-key=sk-live-9876543210abcdef", "--token", "ghp_abcdefghijkl"] },
    'a starts node /x "--api-key=***" --token "***"',
  ],
  [{ name: "a", url: "https://x/mcp?api_key=sk-live-98765432" }, "a connects to https://x/mcp?api_key=***"],
  [
    {
      name: "a",
      command: "x",
      env: { LD_PRELOAD: "/evil.so", PYTHONPATH: "/p", PATH: "/evil", npm_config_registry: "http://evil" },
    },
    "a starts x (sets LD_PRELOAD=/evil.so, PYTHONPATH=/p, PATH=/evil, npm_config_registry=http://evil)",
  ],
  [
    {
      name: "a",
      command: "x",
      env: { npm_config_registry: "https://me:hunter22@r.example/", HTTPS_PROXY: "http://me:hunter22@p" },
    },
    'a starts x (sets "npm_config_registry=https://me:***@r.example/", "HTTPS_PROXY=http://me:***@p")',
  ],
  [
    {
      name: "a",
      url: "https://x/mcp",
      headers: { Z: "${command:touch /x} $${command:no}" },
      oauth: { clientSecret: "${keychain:K}" },
    },
    'a connects to https://x/mcp (sends the headers Z; runs "touch /x"; reads secrets from keychain:K)',
  ],
])("describes %j as %s", (server, line) => {
  expect(effectLine(server)).toBe(line);
});
