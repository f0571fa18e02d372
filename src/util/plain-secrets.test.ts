import { describe, expect, it } from "vitest";
import { parseDotenv } from "./dotenv.js";
import type { ServerConnection } from "../model/server.js";
import { addVariables } from "../sources/rewrite/dotenv-text.js";
import { findSecrets, replaceSecrets } from "./plain-secrets.js";

const stdio = (env: Record<string, string>, args: string[] = []): ServerConnection => ({
  kind: "stdio",
  command: "c",
  args,
  env,
});
const http = (url: string, headers: Record<string, string> = {}): ServerConnection => ({ kind: "http", url, headers });

describe("findSecrets", () => {
  it.each<[string, ServerConnection, [string, string, string][]]>([
    ["a variable by its name", stdio({ GITHUB_TOKEN: "abc" }), [["env.GITHUB_TOKEN", "GITHUB_TOKEN", "abc"]]],
    ["a variable by its value", stdio({ X: "ghp_0123456789" }), [["env.X", "X", "ghp_0123456789"]]],
    ["a password in an address", stdio({ DB: "postgres://u:pw@h/d" }), [["env.DB", "DB", "postgres://u:pw@h/d"]]],
    [
      "nothing in ordinary settings",
      stdio({ LOG: "debug", PORT: "8080", AUTH_URL: "https://a/b", TOKEN_FILE: "/run/t", AUTH: "true" }),
      [],
    ],
    ["nothing in variables", stdio({ API_KEY: "${API_KEY}" }, ["--token", "${T}"]), []],
    [
      "an option with a value",
      stdio({}, ["--api-key=s3cret", "--port=1"]),
      [["args[0]", "MY_SERVER_API_KEY", "s3cret"]],
    ],
    ["the word after an option", stdio({}, ["--token", "s3cret", "run"]), [["args[1]", "MY_SERVER_TOKEN", "s3cret"]]],
    ["an argument by its shape", stdio({}, ["sk-0123456789"]), [["args[0]", "MY_SERVER_ARGUMENT_1", "sk-0123456789"]]],
    ["a variable of a container", stdio({}, ["-e", "GH_TOKEN=abc"]), [["args[1]", "GH_TOKEN", "abc"]]],
    ["a variable in an option", stdio({}, ["--env=GH_TOKEN=abc", "--env=A=b"]), [["args[0]", "GH_TOKEN", "abc"]]],
    ["a variable in a script", stdio({}, ["-c", "API_KEY='a b' A=1 x"]), [["args[1]", "API_KEY", "a b"]]],
    [
      "a header as an argument",
      stdio({}, ["--header", "Authorization: Bearer s3cret", "Accept: x"]),
      [["args[1]", "MY_SERVER_AUTHORIZATION", "s3cret"]],
    ],
    ["a key in an argument's address", stdio({}, ["https://a/?key=s3cret"]), [["args[0]", "MY_SERVER_KEY", "s3cret"]]],
    ["nothing in other arguments", stdio({}, ["-p", "127.0.0.1:80", "A=b", "https://a/mcp?x=1", "C:\\x"]), []],
    [
      "a key in the path",
      http("https://a/s/0c7e3f0a-98b1-4f5e-a0a1-2b3c4d5e6f70/mcp"),
      [["url", "MY_SERVER_KEY", "0c7e3f0a-98b1-4f5e-a0a1-2b3c4d5e6f70"]],
    ],
    ["nothing in a long word of the path", http("https://a.example/model-context-protocol-v2/mcp"), []],
    [
      "a header",
      http("https://a", { Authorization: "Bearer s3cret" }),
      [["headers.Authorization", "MY_SERVER_TOKEN", "s3cret"]],
    ],
    [
      "a header of another name",
      http("https://a", { "X-Api-Key": "s3cret" }),
      [["headers.X-Api-Key", "MY_SERVER_X_API_KEY", "s3cret"]],
    ],
    ["nothing in other headers", http("https://a", { Accept: "x", Authorization: "Bearer ${T}" }), []],
    ["a key in the query", http("https://a/mcp?key=s3cret&x=1"), [["url", "MY_SERVER_KEY", "s3cret"]]],
    ["a password in the address", http("https://u:s3cret@a/mcp"), [["url", "MY_SERVER_PASSWORD", "s3cret"]]],
  ])("finds %s", (_name, connection, expected) => {
    const found = findSecrets(connection, "my server").map(({ where, variable, value }) => [where, variable, value]);
    expect(found).toEqual(expected);
  });
});

it("replaces secrets and keeps the text around them", () => {
  const replace = (connection: ServerConnection) => replaceSecrets(connection, "s", ({ variable }) => `<${variable}>`);
  expect(replace(http("https://u:pw@a/mcp?token=t#x", { Authorization: "Bearer s" }))).toEqual(
    http("https://u:<S_PASSWORD>@a/mcp?token=<S_TOKEN>#x", { Authorization: "Bearer <S_TOKEN>" }),
  );
  expect(replace(stdio({ KEY: "k", A: "b" }, ["--key=x"]))).toEqual(stdio({ KEY: "<KEY>", A: "b" }, ["--key=<S_KEY>"]));
  expect(replace(stdio({}, ["-c", 'export A=1 TOKEN="t" && x', "--env=TOKEN=t", "X-Key: k"]))).toEqual(
    stdio({}, ["-c", 'export A=1 TOKEN="<TOKEN>" && x', "--env=TOKEN=<TOKEN>", "X-Key: <S_X_KEY>"]),
  );
});

it.each(["plain", "with # and $X ${Y}", "it's", "both ' and \"", "back\\slash's", "line\nbreak\r", " spaces "])(
  "writes %j so that it is parsed back unchanged",
  (value) => {
    const text = addVariables("# mine\nA=1", new Map([["B", value]]));
    expect(text.startsWith("# mine\nA=1\n")).toBe(true);
    const { values, faults } = parseDotenv(text);
    expect([[...values], faults]).toEqual([
      [
        ["A", "1"],
        ["B", value],
      ],
      [],
    ]);
  },
);

it("adds nothing if there is nothing to add", () => {
  expect(addVariables("A=1", new Map())).toBe("A=1");
});

it.each([
  [
    "a header inside JSON",
    '{"Authorization": "Bearer ntn_abcdef123", "Notion-Version":"2022-06-28"}',
    '{"Authorization": "Bearer ${NOTION_TOKEN}", "Notion-Version":"2022-06-28"}',
    "ntn_abcdef123",
  ],
  ["a member with an escape", '{"api_key":"a\\"b"}', '{"api_key":"${NOTION_API_KEY}"}', 'a\\"b'],
  [
    "a key in an address",
    "https://a.example/x?api_key=k3y&b=c",
    "https://a.example/x?api_key=${NOTION_API_KEY}&b=c",
    "k3y",
  ],
])("finds %s of the environment", (_case, value, expected, secret) => {
  const found: string[] = [];
  const connection = { kind: "stdio", command: "c", args: [], env: { OPENAPI_MCP_HEADERS: value } } as const;
  const replaced = replaceSecrets(connection, "notion", (one) => {
    found.push(`${one.where} ${one.value}`);
    return `\${${one.variable}}`;
  });
  expect(replaced).toMatchObject({ env: { OPENAPI_MCP_HEADERS: expected } });
  expect(found).toEqual([`env.OPENAPI_MCP_HEADERS ${secret}`]);
});
