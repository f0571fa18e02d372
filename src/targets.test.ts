import { describe, expect, it } from "vitest";
import { toTool } from "../test/support/executor.js";
import type { Snapshot } from "./catalog/snapshot.js";
import { createVariables, type VariablesParts } from "./config/variables.js";
import type { DiscoveryError } from "./errors.js";
import type { Connection, ServerDefinition } from "./model/server.js";
import type { Tool } from "./model/tool.js";
import { assertUnchanged, createTargets } from "./targets.js";

const stdio = (env: Record<string, string>, args: string[]): Connection => ({ kind: "stdio", command: "c", args, env });

const known = (definition: ServerDefinition): Snapshot["servers"] =>
  new Map([[definition.name, { definition, record: undefined, failure: undefined, doubts: new Map(), tools: [] }]]);

it.each<[string, Connection, string[]]>([
  ["a variable's value", stdio({}, ["run", "${NAME}"]), ["from-variable"]],
  ["the value of an option", stdio({}, ["--api-key=written-key", "--port=1"]), ["written-key"]],
  ["the word after an option", stdio({}, ["--token", "written-token"]), ["written-token"]],
  ["a value of the environment", stdio({ API_KEY: "written-key", LOG: "debug" }, []), ["written-key"]],
  [
    "the password of an address",
    stdio({}, ["postgres://user:pass%21word@host/db"]),
    ["postgres://user:pass%21word@host/db", "postgres://user:pass!word@host/db", "pass%21word", "pass!word"],
  ],
  [
    "a header and a query",
    { kind: "http", url: "https://host/mcp?key=written%2Bkey", headers: { Authorization: "Bearer written-token" } },
    ["written-token", "written%2Bkey", "written+key"],
  ],
  ["a secret of which a part is a variable", stdio({ API_KEY: "a-${NAME}" }, []), ["from-variable", "a-from-variable"]],
])("tells %s, so that it can be hidden", async (_, connection, expected) => {
  const told = new Set<string>();
  const variables = createVariables({
    env: { NAME: "from-variable" },
    cwd: "/nowhere",
    home: "/nowhere",
    secrets: { note: (value) => told.add(value) },
  });
  const server = { name: "s", connection, tags: [], origin: "inline" } as never;
  const noted = new Set<string>();
  await createTargets(() => known(server), { variables, filed: variables })("s").connection((value) =>
    noted.add(value),
  );
  expect([...noted].sort()).toEqual([...expected].sort());
  expect([...told].sort()).toEqual([...expected].sort());
});

describe("a variable in the arguments of a program", () => {
  const open = (args: string[], isStrict: boolean, env: Record<string, string> = {}) => {
    const variables = createVariables({ env: { TOKEN: "s3cret", HOME: "/h" }, cwd: "/nowhere", home: "/nowhere" });
    const server = { name: "s", connection: stdio(env, args), tags: [], origin: "inline" } as never;
    return createTargets(() => known(server), { variables, filed: variables, isStrict })("s").connection();
  };

  it("is refused where the policy is strict: everybody could read it there", () => {
    const refusal = expect.objectContaining({
      code: "CONFIGURATION_ERROR",
      message: "The arguments of s hold TOKEN, which every user of this machine could read there.",
    });
    expect(() => open(["--key=${TOKEN}", "${HOME}/x"], true)).toThrow(refusal);
    expect(() => open(["${HOME:-${TOKEN}}"], true)).toThrow(refusal);
  });

  it.each<[string, string[], boolean, Record<string, string>]>([
    ["elsewhere", ["--key=${TOKEN}"], false, {}],
    ["that says nothing new", ["${HOME}/x"], true, {}],
    ["that is none", ["$${TOKEN}"], true, {}],
    ["that stands in env instead", ["run"], true, { KEY: "${TOKEN}" }],
  ])("is taken %s", (_, args, isStrict, env) => {
    expect(open(args, isStrict, env)).toMatchObject({ kind: "stdio" });
  });
});

it("lets a REST API be described whose credentials are not set, and names what is lacking", () => {
  const rest: Connection = {
    kind: "rest",
    document: "/d.yaml",
    headers: {},
    uploads: [],
    operations: [],
    auth: { kind: "bearer", token: "${NOT_SET}" },
  };
  const variables = createVariables({ cwd: "/none", home: "/none", env: {} });
  const server = { name: "api", connection: rest, manifest: [], origin: "inline" };
  const connection = createTargets(() => known(server), { variables, filed: variables })("api").connection();
  expect(connection).toMatchObject({ kind: "rest", lacking: ["NOT_SET"] });
  expect(connection).not.toHaveProperty("auth");
});

function codeOf(act: () => void): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return (error as DiscoveryError).code;
  }
}

describe("assertUnchanged", () => {
  const tool = toTool();
  it.each<[string, Tool | undefined, string | undefined]>([
    ["the same tool", tool, undefined],
    ["an equal one", toTool(), undefined],
    ["one that nobody knows any more", undefined, undefined],
    ["one with another definition", toTool({ hash: "other" }), "TOOL_VALIDATION_ERROR"],
    ["one that is kept back", toTool({ quarantine: { reason: "changed", differs: [] } }), "TOOL_QUARANTINED"],
  ])("takes %s for what it is", (_case, known, code) => {
    expect(codeOf(() => assertUnchanged(tool, known))).toBe(code);
  });
});

const both = (parts: VariablesParts) => ({ variables: createVariables(parts), filed: createVariables(parts) });

describe("a server whose variables were described", () => {
  const headers = { KEY: "${CTX_KEY}", "X-Team": "team-${CTX_TEAM}", Plain: "1" };
  const server: ServerDefinition = {
    name: "ctx",
    connection: { kind: "http", url: "https://host/mcp", headers },
    manifest: [],
    needs: [
      { name: "CTX_KEY", description: "API key from https://host/keys" },
      { name: "CTX_TEAM", description: "Your team", isOptional: true },
    ],
    origin: "files",
  };
  const open = (env: Record<string, string>) =>
    createTargets(() => known(server), both({ cwd: "/none", home: "/none", env }))("ctx").connection();

  it("is told what is missing, what it is for and where it belongs", () => {
    expect(() => open({})).toThrow(
      expect.objectContaining({
        code: "CONFIGURATION_ERROR",
        message: "ctx needs CTX_KEY (API key from https://host/keys), which is not set.",
        hint: expect.stringContaining("CTX_KEY=… into .ai/.env") as string,
        facts: { variables: ["CTX_KEY"] },
      }) as Error,
    );
  });

  it("does without what it can do without", () => {
    expect(open({ CTX_KEY: "k" })).toMatchObject({ headers: { KEY: "k", Plain: "1" } });
    expect(open({ CTX_KEY: "k" })).not.toHaveProperty(["headers", "X-Team"]);
    expect(open({ CTX_KEY: "k", CTX_TEAM: "a" })).toMatchObject({ headers: { "X-Team": "team-a" } });
  });

  it("does not show a value that no header can hold", () => {
    const wrong = { CTX_KEY: "secret-value\r\nX-More: 1" };
    expect(() => open(wrong)).toThrow(/The header KEY of ctx holds what no header can hold/);
    expect(() => open(wrong)).not.toThrow(/secret-value/);
    expect(open({ CTX_KEY: "ünï\t~" })).toMatchObject({ headers: { KEY: "ünï\t~" } });
  });
});

describe("references to secrets", () => {
  const variables = createVariables({ cwd: "/none", home: "/none", env: { NAME: "n" } });
  const connection: Connection = stdio({ TOKEN: "Bearer ${keychain:TOKEN}", NAME: "${NAME}" }, []);
  const server: ServerDefinition = { name: "s", connection, manifest: [], origin: "/repo/.mcp.json" };
  const secrets = { read: (reference: string) => Promise.resolve(`value of ${reference}`) };
  const find = (definition: ServerDefinition, isStrict = false) =>
    createTargets(() => known(definition), { variables, filed: variables, secrets, isStrict })("s");

  it("are read at the moment of use, and noted", async () => {
    const noted: string[] = [];
    const target = find({ ...server, isOwn: true });
    expect(await target.connection((value) => noted.push(value))).toMatchObject({
      env: { TOKEN: "Bearer value of keychain:TOKEN", NAME: "n" },
    });
    expect(noted).toContain("value of keychain:TOKEN");
    expect(target.written()).toMatchObject({ env: { TOKEN: "Bearer ${keychain:TOKEN}", NAME: "n" } });
  });

  it("are refused where the entry is not of the user's own configuration", () => {
    const message = "${keychain:TOKEN} is not read for s: /repo/.mcp.json is not your own configuration.";
    expect(() => find(server).connection()).toThrow(message);
    expect(() => find(server).written()).toThrow(message);
  });

  it("may not stand in arguments in strict mode", () => {
    const own: ServerDefinition = { ...server, isOwn: true, connection: stdio({}, ["${command:a b}"]) };
    expect(() => find(own, true).connection()).toThrow("hold ${command:a b}, which every user");
  });
});
