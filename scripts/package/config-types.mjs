// Writes the types of the configuration from its JSON Schema, with the descriptions of the options as doc comments.

/** Paths of objects that become named types. Other objects below a section are written inline. */
const NAMES = {
  servers: "MCPServerConfig",
  mcpServers: "MCPServerConfig",
  "servers.connection": "ConnectionConfig",
  sources: "ConfigSource",
  toolRules: "ToolRule",
  adapters: "AdapterConfig",
};

const EXPORTED = ["DiscoveryConfig", "MCPServerConfig", "ConfigSource", "ToolRule", "CacheConfig"];

const COMMENTS = {
  MCPServerConfig:
    "A server: a program to start (`command`) or an address (`url`). Strings may contain `${VAR}` and `${VAR:-default}`.",
  ConnectionConfig: "How the gateway reaches a server: a program to start (`command`) or an address (`url`).",
  ConfigSource: "A file with more servers.",
  ToolRule: "A rule that enables, disables or tags tools. It needs `pattern`, `server` or both.",
  AdapterConfig: "A REST API whose operations are tools.",
};

/** The declaration file that replaces `config/discovery-config.d.ts`. */
export function configTypes(schema) {
  const { discovery } = schema.definitions;
  const declared = new Map();
  declare(declared, "DiscoveryConfig", discovery, "");
  return `${[...declared.values()].reverse().join("\n")}export { ${EXPORTED.map((name) => `type ${name}`).join(", ")} };\n`;
}

function declare(declared, name, schema, path) {
  if (declared.has(name)) return name;
  declared.set(name, "");
  const body = objectType(declared, schema, path, "");
  declared.delete(name);
  declared.set(name, `${comment(COMMENTS[name] ?? schema.description, "")}interface ${name} ${body}\n`);
  return name;
}

function objectType(declared, { properties, required = [] }, path, indent) {
  const inner = `${indent}    `;
  const members = Object.entries(properties).map(([key, value]) => {
    const type = typeOf(declared, value, path === "" ? key : `${path}.${key}`, inner);
    const member = required.includes(key) ? `${key}: ${type};` : `${key}?: ${type} | undefined;`;
    return `${comment(withDefault(value), inner)}${inner}${member}`;
  });
  return `{\n${members.join("\n")}\n${indent}}`;
}

function typeOf(declared, schema, path, indent) {
  const { anyOf, oneOf, type, properties, additionalProperties: values } = schema;
  const next = (part) => typeOf(declared, part, path, indent);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (anyOf !== undefined) return isCollection(anyOf) ? collectionType(next, anyOf, indent) : union(anyOf.map(next));
  if (oneOf !== undefined) return union(oneOf.map(next));
  if (type === "array") return `${parenthesized(next(schema.items))}[]`;
  if (type !== "object")
    return { string: "string", boolean: "boolean", integer: "number", number: "number" }[type] ?? "unknown";
  if (properties === undefined) return `Record<string, ${next(values ?? {})}>`;
  const name = NAMES[path] ?? (path.includes(".") ? undefined : `${path[0].toUpperCase()}${path.slice(1)}Config`);
  return name === undefined ? objectType(declared, schema, path, indent) : declare(declared, name, schema, path);
}

/** A list of entries with `name`, or a map from names to the same entries. */
function isCollection([list, map, ...others]) {
  return others.length === 0 && list.items?.properties?.name !== undefined && map?.additionalProperties !== undefined;
}

function collectionType(next, [list, map], indent) {
  const entry = next(map.additionalProperties);
  const { description } = list.items.properties.name;
  const named = `{\n${comment(description, `${indent}    `)}${indent}    name: string;\n${indent}}`;
  return `(${entry} & ${named})[] | Record<string, ${entry}>`;
}

function union(types) {
  return [...new Set(types)].join(" | ");
}

function parenthesized(type) {
  return /^[\w.]+$|^\{/.test(type) ? type : `(${type})`;
}

function withDefault({ description = "", default: value }) {
  if (value === undefined || (typeof value === "object" && Object.keys(value).length === 0)) return description;
  return `${description} Default: \`${JSON.stringify(value)}\`.`;
}

function comment(text, indent) {
  return text === undefined || text === "" ? "" : `${indent}/** ${text.replaceAll("*/", "*\\/")} */\n`;
}
