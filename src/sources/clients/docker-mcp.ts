import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { InputDefinition } from "../placeholders.js";
import { inHome, pathsOf, under } from "../system.js";
import type { Client, ClientServer, Layout } from "./client.js";
import { fillTemplate, fillTemplates, templateValue } from "./docker-template.js";
import { compact, namesIn } from "./entry.js";
import { MCP_SERVERS } from "./plain.js";

/**
 * `registry.yaml` of the Docker MCP Toolkit has the enabled servers. Its companions have their values, their tools, and
 * the catalogs that define the servers.
 */
const REGISTRY: Layout = {
  section: () => ({ format: "yaml", keys: ["registry"] }),
  dialect: "code",
  companions: ({ path, document }, system) => {
    const folder = pathsOf(system).dirname(path);
    return [
      { path: under(system, folder, "config.yaml"), format: "yaml", keys: "all" },
      { path: under(system, folder, "tools.yaml"), format: "yaml", keys: "all" },
      {
        path: under(system, folder, "catalogs", "*.yaml"),
        format: "yaml",
        keys: ["registry"],
        members: Object.keys(enabledIn(document)),
      },
    ];
  },
  read: (document, { companions: [values, tools, ...catalogs] }) => {
    return {
      servers: Object.keys(enabledIn(document)).map((name) => {
        const path = ["registry", name];
        const entry = catalogs.map((catalog) => templateValue(catalog, ["registry", name])).find(isJsonObject);
        if (entry === undefined) return unusable(name, path, "no Docker MCP catalog on this machine defines it");
        const server = toServer({ name, path, entry, values });
        const allow = isJsonObject(tools) ? namesIn(tools[name]) : [];
        return allow.length === 0 ? server : { ...server, tools: { allow } };
      }),
    };
  },
};

export const dockerMcp: Client = {
  id: "docker-mcp",
  title: "Docker MCP Toolkit",
  locations: (system) => [
    { scope: "user", path: inHome(system, ".docker", "mcp-servers.json") },
    { scope: "user", path: inHome(system, ".docker", "mcp", "registry.yaml") },
  ],
  layoutOf: (path) => (/\.ya?ml$/.test(path) ? REGISTRY : MCP_SERVERS),
};

function enabledIn(document: unknown): JsonObject {
  const registry = templateValue(document, ["registry"]);
  return isJsonObject(registry) ? registry : {};
}

/** The arguments of `docker` with which the Docker MCP gateway also starts a server. */
const SAFE_RUN = ["run", "--rm", "-i", "--init", "--security-opt", "no-new-privileges"];

interface Enabled {
  readonly name: string;
  readonly path: readonly string[];
  readonly entry: JsonObject;
  /** The content of `config.yaml`: the values that the user entered for each server. */
  readonly values: unknown;
}

function toServer({ name, path, entry, values }: Enabled): ClientServer {
  const secrets = listOf(entry["secrets"]).filter(isNamedVariable);
  const common = {
    name,
    path,
    inputs: new Map(secrets.map(({ name: id, env }): [string, InputDefinition] => [env, { id, isPassword: true }])),
    notes: secrets.map(
      ({ name: id, env }) =>
        `The secret ${id} is stored in Docker and cannot be imported; set the environment variable ${env}.`,
    ),
  };
  const described = { description: entry["description"], tools: manifestOf(entry["tools"]) };
  const remote = isJsonObject(entry["remote"]) ? entry["remote"] : undefined;
  const url = remote?.["url"] ?? entry["sseEndpoint"];
  if (url !== undefined) {
    const type = remote === undefined || remote["transport_type"] === "sse" ? "sse" : "http";
    return { ...common, entry: compact({ ...described, type, url, headers: remote?.["headers"] }) };
  }
  if (typeof entry["image"] !== "string")
    return unusable(name, path, "its catalog entry has neither an image nor a URL");
  const env = environmentOf(entry, secrets, values);
  const args = [
    ...SAFE_RUN,
    ...(entry["disableNetwork"] === true ? ["--network", "none"] : []),
    ...(typeof entry["user"] === "string" ? ["--user", entry["user"]] : []),
    ...Object.keys(env).flatMap((variable) => ["-e", variable]),
    ...fillTemplates(listOf(entry["volumes"]), values).flatMap((volume) => ["-v", volume]),
    entry["image"],
    ...fillTemplates(listOf(entry["command"]), values),
  ];
  return { ...common, entry: compact({ ...described, command: "docker", args, env }) };
}

function environmentOf(entry: JsonObject, secrets: readonly NamedVariable[], values: unknown): JsonObject {
  const plain = listOf(entry["env"]).flatMap((variable): [string, string][] => {
    if (!isJsonObject(variable) || typeof variable["name"] !== "string") return [];
    const { value: template } = variable;
    const value = typeof template === "string" ? fillTemplate(template, values) : undefined;
    return value === undefined || value === "" ? [] : [[variable["name"], value]];
  });
  return Object.fromEntries([...plain, ...secrets.map(({ env }) => [env, `\${${env}}`])]);
}

interface NamedVariable {
  readonly name: string;
  readonly env: string;
}

function isNamedVariable(value: unknown): value is NamedVariable {
  return isJsonObject(value) && typeof value["name"] === "string" && typeof value["env"] === "string";
}

function manifestOf(tools: unknown): JsonObject[] | undefined {
  const known = listOf(tools).flatMap((tool) => {
    if (!isJsonObject(tool) || typeof tool["name"] !== "string") return [];
    return [
      { name: tool["name"], ...(typeof tool["description"] === "string" ? { description: tool["description"] } : {}) },
    ];
  });
  return known.length === 0 ? undefined : known;
}

function unusable(name: string, path: readonly string[], disabled: string): ClientServer {
  return { name, path, entry: { command: "docker" }, disabled };
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
