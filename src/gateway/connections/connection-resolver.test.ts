import { describe, expect, it } from "vitest";
import type { Snapshot } from "../../catalog/snapshot.js";
import { createVariables, type VariablesParts } from "../../config/variables.js";
import type { ServerConnection, ServerDefinition } from "../../model/server.js";
import { createConnectionResolver } from "./connection-resolver.js";

const stdio = (env: Record<string, string>, args: string[]): ServerConnection => ({
  kind: "stdio",
  command: "c",
  args,
  env,
});

const known = (definition: ServerDefinition): Snapshot["servers"] =>
  new Map([
    [definition.name, { definition, record: undefined, failure: undefined, quarantines: new Map(), tools: [] }],
  ]);

it.each<[string, ServerConnection, string[]]>([
  ["the value of a variable", stdio({}, ["run", "${NAME}"]), ["from-variable"]],
  ["the value of an option", stdio({}, ["--api-key=written-key", "--port=1"]), ["written-key"]],
  ["the word after an option", stdio({}, ["--token", "written-token"]), ["written-token"]],
  ["a value in env", stdio({ API_KEY: "written-key", LOG: "debug" }, []), ["written-key"]],
  [
    "the password of a URL",
    stdio({}, ["postgres://user:pass%21word@host/db"]),
    ["postgres://user:pass%21word@host/db", "postgres://user:pass!word@host/db", "pass%21word", "pass!word"],
  ],
  [
    "a header and a query",
    {
      kind: "http",
      url: "https://host/mcp?key=written%2Bkey",
      headers: { Authorization: "Bearer written-token" },
    },
    ["written-token", "written%2Bkey", "written+key"],
  ],
  ["a secret that contains a variable", stdio({ API_KEY: "a-${NAME}" }, []), ["from-variable", "a-from-variable"]],
])("reports %s as secrets, so that they are redacted", async (_, connection, expected) => {
  const globallyNoted = new Set<string>();
  const variables = createVariables({
    env: { NAME: "from-variable" },
    cwd: "/nowhere",
    home: "/nowhere",
    secrets: { note: (value) => globallyNoted.add(value) },
  });
  const server = { name: "s", connection, tags: [], origin: "inline" } as never;
  const noted = new Set<string>();
  await createConnectionResolver(() => known(server), { variables, toolFileVariables: variables })("s").connection(
    (value) => noted.add(value),
  );
  expect([...noted].sort()).toEqual([...expected].sort());
  expect([...globallyNoted].sort()).toEqual([...expected].sort());
});

describe("a variable in the arguments of a command", () => {
  const open = (args: string[], isStrict: boolean, env: Record<string, string> = {}) => {
    const variables = createVariables({ env: { TOKEN: "s3cret", HOME: "/h" }, cwd: "/nowhere", home: "/nowhere" });
    const server = { name: "s", connection: stdio(env, args), tags: [], origin: "inline" } as never;
    return createConnectionResolver(() => known(server), { variables, toolFileVariables: variables, isStrict })(
      "s",
    ).connection();
  };

  it("is rejected by the preset strict, because every user can read the process list", () => {
    const refusal = expect.objectContaining({
      code: "CONFIGURATION_ERROR",
      message: "The arguments of s contain TOKEN. Every user of this machine can read them in the process list.",
    });
    expect(() => open(["--key=${TOKEN}", "${HOME}/x"], true)).toThrow(refusal);
    expect(() => open(["${HOME:-${TOKEN}}"], true)).toThrow(refusal);
  });

  it.each<[string, string[], boolean, Record<string, string>]>([
    ["with another preset", ["--key=${TOKEN}"], false, {}],
    ["with a value that is not secret", ["${HOME}/x"], true, {}],
    ["that is escaped", ["$${TOKEN}"], true, {}],
    ["that is in env instead", ["run"], true, { KEY: "${TOKEN}" }],
  ])("is accepted %s", (_, args, isStrict, env) => {
    expect(open(args, isStrict, env)).toMatchObject({ kind: "stdio" });
  });
});

it("describes a REST API without its credentials, and names the missing variables", () => {
  const rest: ServerConnection = {
    kind: "rest",
    document: "/d.yaml",
    headers: {},
    uploads: [],
    operations: [],
    auth: { kind: "bearer", token: "${NOT_SET}" },
  };
  const variables = createVariables({ cwd: "/none", home: "/none", env: {} });
  const server = { name: "api", connection: rest, manifest: [], origin: "inline" };
  const connection = createConnectionResolver(() => known(server), { variables, toolFileVariables: variables })(
    "api",
  ).connection();
  expect(connection).toMatchObject({ kind: "rest", lacking: ["NOT_SET"] });
  expect(connection).not.toHaveProperty("auth");
});

const both = (parts: VariablesParts) => ({
  variables: createVariables(parts),
  toolFileVariables: createVariables(parts),
});

describe("a server with descriptions of its variables", () => {
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
    createConnectionResolver(() => known(server), both({ cwd: "/none", home: "/none", env }))("ctx").connection();

  it("fails with the name, the description and the file of a missing variable", () => {
    expect(() => open({})).toThrow(
      expect.objectContaining({
        code: "CONFIGURATION_ERROR",
        message: "ctx needs CTX_KEY (API key from https://host/keys), which is not set.",
        nextSteps: [{ action: "set-variable", name: "CTX_KEY", files: [".ai/.env", "~/.ai/.env"] }],
        facts: { variables: ["CTX_KEY"] },
      }) as Error,
    );
  });

  it("omits headers with optional variables that are not set", () => {
    expect(open({ CTX_KEY: "k" })).toMatchObject({ headers: { KEY: "k", Plain: "1" } });
    expect(open({ CTX_KEY: "k" })).not.toHaveProperty(["headers", "X-Team"]);
    expect(open({ CTX_KEY: "k", CTX_TEAM: "a" })).toMatchObject({ headers: { "X-Team": "team-a" } });
  });

  it("does not show an invalid header value in the error", () => {
    const wrong = { CTX_KEY: "secret-value\r\nX-More: 1" };
    expect(() => open(wrong)).toThrow(/The header KEY of ctx has a character that is not allowed in a header/);
    expect(() => open(wrong)).not.toThrow(/secret-value/);
    expect(open({ CTX_KEY: "ünï\t~" })).toMatchObject({ headers: { KEY: "ünï\t~" } });
  });
});

describe("references to secrets", () => {
  const variables = createVariables({ cwd: "/none", home: "/none", env: { NAME: "n" } });
  const connection: ServerConnection = stdio({ TOKEN: "Bearer ${keychain:TOKEN}", NAME: "${NAME}" }, []);
  const server: ServerDefinition = { name: "s", connection, manifest: [], origin: "/repo/.mcp.json" };
  const secrets = { read: (reference: string) => Promise.resolve(`value of ${reference}`) };
  const find = (definition: ServerDefinition, isStrict = false) =>
    createConnectionResolver(() => known(definition), { variables, toolFileVariables: variables, secrets, isStrict })(
      "s",
    );

  it("are read when the connection is opened, and noted as secrets", async () => {
    const noted: string[] = [];
    const target = find({ ...server, isOwn: true });
    expect(await target.connection((value) => noted.push(value))).toMatchObject({
      env: { TOKEN: "Bearer value of keychain:TOKEN", NAME: "n" },
    });
    expect(noted).toContain("value of keychain:TOKEN");
    expect(target.withoutSecrets()).toMatchObject({ env: { TOKEN: "Bearer ${keychain:TOKEN}", NAME: "n" } });
  });

  it("are rejected in an entry outside the user's own configuration", () => {
    const message = "${keychain:TOKEN} is not read for s: /repo/.mcp.json is not your own configuration.";
    expect(() => find(server).connection()).toThrow(message);
    expect(() => find(server).withoutSecrets()).toThrow(message);
  });

  it("are rejected in arguments by the preset strict", () => {
    const own: ServerDefinition = { ...server, isOwn: true, connection: stdio({}, ["${command:a b}"]) };
    expect(() => find(own, true).connection()).toThrow("contain ${command:a b}. Every user");
  });
});
