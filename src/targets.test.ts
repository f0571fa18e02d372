import { expect, it } from "vitest";
import { createVariables } from "./config/variables.js";
import type { Connection } from "./model/server.js";
import { createTargets } from "./targets.js";

const stdio = (env: Record<string, string>, args: string[]): Connection => ({ kind: "stdio", command: "c", args, env });

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
  const snapshot = () => ({ servers: new Map() }) as never;
  await createTargets([server], variables, snapshot)("s").connection((value) => noted.add(value));
  expect([...noted].sort()).toEqual([...expected].sort());
  expect([...told].sort()).toEqual([...expected].sort());
});
