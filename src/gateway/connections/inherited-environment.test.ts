import { expect, it } from "vitest";
import { createInheritance } from "./inherited-environment.js";
import type { StdioConnection } from "../../model/server.js";
import type { ServerOrigin } from "../../sources/imported.js";

const PROGRAM: StdioConnection = { kind: "stdio", command: "c", args: [], env: {} };
const env = { GITHUB_TOKEN: "ghp_canary", LANG_MODE: "fast", OTHER: "x" };
const from = (client: string): [string, ServerOrigin] => [client, { client, file: "f", scope: "user", path: "p" }];
const origins = new Map([from("vscode"), from("cursor")]);

it("applies the default inheritEnv, unless the entry has its own", () => {
  const { complete } = createInheritance({ env, inheritEnv: ["GITHUB_*"], origins });
  expect(complete("s", PROGRAM)).toEqual({ ...PROGRAM, inheritEnv: ["GITHUB_*"] });
  expect(complete("s", { ...PROGRAM, inheritEnv: ["LANG_*"] })).toMatchObject({ inheritEnv: ["LANG_*"] });
  expect(complete("s", { ...PROGRAM, inheritEnv: [] })).toMatchObject({ inheritEnv: [] });
  const remote = { kind: "http", url: "https://a.example", headers: {} } as const;
  expect(complete("s", remote)).toBe(remote);
});

it("adds a hint to servers of clients that pass their whole environment", () => {
  const { complete } = createInheritance({ env, inheritEnv: [], origins });
  expect(complete("vscode", PROGRAM)).toMatchObject({ startHint: expect.stringContaining("`upstreams.inheritEnv`") });
  expect(complete("cursor", PROGRAM)).toEqual(PROGRAM);
  expect(complete("vscode", { ...PROGRAM, inheritEnv: ["*"] })).not.toHaveProperty("startHint");
});

it("reports which inherited values are secrets", () => {
  const { secretsIn } = createInheritance({ env, inheritEnv: [], origins });
  expect(secretsIn({ ...PROGRAM, inheritEnv: ["*"] })).toEqual(["ghp_canary"]);
  expect(secretsIn(PROGRAM)).toEqual([]);
});
