import { expect, it } from "vitest";
import { effectLine, type ServerEffect } from "./effect-line.js";

it.each<[ServerEffect, string]>([
  [{ name: "a", command: "x", args: ["-y", "b c"] }, 'a starts x -y "b c"'],
  [{ name: "a", url: "https://x/mcp" }, "a speaks to https://x/mcp"],
  [{ name: "a" }, "a speaks to nothing"],
  [
    {
      name: "a",
      command: "x",
      env: { NODE_OPTIONS: "hidden", T: "${TOKEN} ${HOST:-h} $${NOT}" },
      cwd: "/w",
      envFile: ".env",
    },
    "a starts x (in /w; sets NODE_OPTIONS, T; is given your variables TOKEN, HOST; reads variables from .env)",
  ],
  [
    { name: "a", url: "https://x/${ID}", headers: { Authorization: "Bearer ${TOKEN}" } },
    "a speaks to https://x/${ID} (sends the headers Authorization; is given your variables ID, TOKEN)",
  ],
  [{ name: "a", command: "x", inheritEnv: ["AWS_*", "*"] }, 'a starts x (inherits from your environment "AWS_*", "*")'],
])("%j is told as %s", (server, line) => {
  expect(effectLine(server)).toBe(line);
});
