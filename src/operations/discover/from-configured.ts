// Converts a configured server into the connection that its tool files contain. Tool files must not contain secrets, so
// a header or environment variable with a literal value is rejected.
import type { Hint } from "../../model/next-steps.js";
import type { DiscoveryTarget } from "../../discover/target.js";
import { DiscoveryError } from "../../errors.js";
import type { ServerDefinition } from "../../model/server.js";

const VARIABLE = /\$\{([A-Za-z_]\w*)\}/g;

export function fromConfigured({ name, connection }: ServerDefinition): DiscoveryTarget {
  if (connection.kind === "rest" || connection.kind === "built-in") {
    throw invalidRequest(`${name} has no tool files: it is not an MCP server.`, { action: "list-servers" });
  }
  const texts = connection.kind === "stdio" ? [connection.command, ...connection.args] : [connection.url];
  const withVariable = texts.find((text) => text.includes("${"));
  if (withVariable !== undefined) {
    throw invalidRequest(
      `${name} has a variable in its ${connection.kind === "stdio" ? "command" : "address"}, which a tool file cannot contain: ${withVariable}.`,
      "Move the variable to `env` or `headers` in the configuration.",
    );
  }
  if (connection.kind !== "stdio") {
    const { kind, url, headers } = connection;
    const literal = Object.entries(headers).find(([, value]) => variablesIn(value).length === 0);
    if (literal !== undefined) throw literalValue(name, `The header ${literal[0]}`);
    const needs = Object.entries(headers).flatMap(([header, value]) =>
      variablesIn(value).map((variable) => ({ ...toNeed(name, variable), header })),
    );
    return { name, connection: { kind, url, headers }, needs };
  }
  const { command, args, env, cwd } = connection;
  const literal = Object.entries(env).find(([, value]) => variablesIn(value).length === 0);
  if (literal !== undefined) throw literalValue(name, `The variable ${literal[0]}`);
  const variables = [...new Set(Object.values(env).flatMap(variablesIn))];
  return {
    name,
    connection: { kind: "stdio", command, args, env, ...(cwd === undefined ? {} : { cwd }) },
    needs: variables.map((variable) => toNeed(name, variable)),
  };
}

function toNeed(server: string, variable: string) {
  return { name: variable, description: `Needed by ${server}`, required: true };
}

function variablesIn(value: string): string[] {
  return [...value.matchAll(VARIABLE)].map(([, name = ""]) => name);
}

function literalValue(server: string, what: string): DiscoveryError {
  return invalidRequest(
    `${what} of ${server} has a literal value in the configuration, which every tool file would contain.`,
    "Write ${NAME} in the configuration and set the value in the environment.",
  );
}

function invalidRequest(message: string, hint: Hint): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, { hint });
}
