import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { SchemaViolation } from "../../util/document/schema.js";

/**
 * Finds contradictions between several parts of a tool file: values that must be equal, and variables where they are
 * not allowed. Accepts invalid parts, so that all problems are reported at once.
 */
export function findContradictions(value: unknown, name: string): readonly SchemaViolation[] {
  if (!isJsonObject(value)) return [];
  const [metadata, config] = [membersOf(value["metadata"]), membersOf(value["config"])];
  const needs = itemsOf(value["env_requirements"]).map(membersOf);
  return [
    ...differs(value["tool_id"], name, ["tool_id"], `must be the file's name, "${name}"`),
    ...differs(metadata["mcp_url"], config["url"], ["metadata", "mcp_url"], "must be the same as config.url"),
    ...differs(config["tool"], metadata["original_tool_name"], ["config", "tool"], SAME_TOOL),
    ...misplacedVariables(value),
    ...undeclaredVariables(config, needs),
    ...duplicateNeeds(needs),
    ...duplicateHeaders(membersOf(config["headers"])),
    ...unusedHeaders(needs, membersOf(config["headers"])),
  ];
}

const SAME_TOOL = "must be the same as metadata.original_tool_name";
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

function differs(one: unknown, other: unknown, path: readonly string[], reason: string): SchemaViolation[] {
  const areTexts = typeof one === "string" && typeof other === "string";
  return areTexts && one !== other ? [{ path, reason }] : [];
}

/**
 * Finds variables (`${NAME}`) in fields where the gateway does not expand them. Texts from the server (names,
 * descriptions, schemas) may contain `${`, because they are never expanded.
 */
function* misplacedVariables(value: JsonObject): Iterable<SchemaViolation> {
  const [metadata, config] = [membersOf(value["metadata"]), membersOf(value["config"])];
  const texts: (readonly [readonly (string | number)[], unknown])[] = [
    [["metadata", "mcp_server"], metadata["mcp_server"]],
    [["metadata", "mcp_url"], metadata["mcp_url"]],
    [["config", "url"], config["url"]],
    [["config", "command"], config["command"]],
    [["config", "cwd"], config["cwd"]],
    ...itemsOf(config["args"]).map((item, index) => [["config", "args", index], item] as const),
    ...itemsOf(value["env_requirements"]).map(
      (need, index) => [["env_requirements", index, "description"], membersOf(need)["description"]] as const,
    ),
  ];
  for (const [path, text] of texts) {
    if (typeof text === "string" && text.includes("${")) {
      yield { path, reason: "variables are only allowed in values of headers and env" };
    }
  }
}

function* undeclaredVariables(config: JsonObject, needs: readonly JsonObject[]): Iterable<SchemaViolation> {
  const declared = new Set(needs.map(({ name }) => name));
  for (const section of ["headers", "env"]) {
    for (const [key, text] of Object.entries(membersOf(config[section]))) {
      if (typeof text !== "string") continue;
      const path = ["config", section, key];
      for (const [, name = ""] of text.matchAll(VARIABLE)) {
        if (!declared.has(name)) yield { path, reason: `${name} is not declared in env_requirements` };
      }
      const isPlain = !text.includes("$${") && !text.replace(VARIABLE, "").includes("${");
      if (!isPlain) yield { path, reason: 'a variable must be written as "${NAME}"' };
    }
  }
}

function* duplicateNeeds(needs: readonly JsonObject[]): Iterable<SchemaViolation> {
  const seen = new Set<unknown>();
  for (const [index, { name }] of needs.entries()) {
    if (seen.has(name))
      yield { path: ["env_requirements", index, "name"], reason: "is the name of another requirement" };
    seen.add(name);
  }
}

function* duplicateHeaders(headers: JsonObject): Iterable<SchemaViolation> {
  const seen = new Set<string>();
  for (const name of Object.keys(headers)) {
    const folded = name.toLowerCase();
    if (seen.has(folded)) yield { path: ["config", "headers", name], reason: "is the name of another header" };
    seen.add(folded);
  }
}

/** Finds required variables whose `header` does not contain them. */
function* unusedHeaders(needs: readonly JsonObject[], headers: JsonObject): Iterable<SchemaViolation> {
  for (const [index, { name, header }] of needs.entries()) {
    if (typeof header !== "string" || typeof name !== "string") continue;
    const sent = Object.entries(headers).find(([key]) => key.toLowerCase() === header.toLowerCase())?.[1];
    if (typeof sent === "string" && sent.includes(`\${${name}}`)) continue;
    yield {
      path: ["env_requirements", index, "header"],
      reason: "config.headers has no such header with this variable",
    };
  }
}

function membersOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
