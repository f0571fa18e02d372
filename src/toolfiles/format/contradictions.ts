import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { Violation } from "../../util/document/schema.js";

/**
 * What no part of a file shows by itself: two parts that say different things, and variables where they must not be. Reads
 * whatever is there, right or wrong in itself, so that all reasons are told at once.
 */
export function findContradictions(value: unknown, name: string): readonly Violation[] {
  if (!isJsonObject(value)) return [];
  const [metadata, config] = [membersOf(value["metadata"]), membersOf(value["config"])];
  const needs = itemsOf(value["env_requirements"]).map(membersOf);
  return [
    ...differs(value["tool_id"], name, ["tool_id"], `must be the file's name, "${name}"`),
    ...differs(metadata["mcp_url"], config["url"], ["metadata", "mcp_url"], "must be the same as config.url"),
    ...differs(config["tool"], metadata["original_tool_name"], ["config", "tool"], SAME_TOOL),
    ...strayVariables(value),
    ...undeclaredVariables(config, needs),
    ...doubledNeeds(needs),
    ...doubledHeaders(membersOf(config["headers"])),
    ...idleHeaders(needs, membersOf(config["headers"])),
  ];
}

const SAME_TOOL = "must be the same as metadata.original_tool_name";
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

function differs(one: unknown, other: unknown, path: readonly string[], reason: string): Violation[] {
  const areTexts = typeof one === "string" && typeof other === "string";
  return areTexts && one !== other ? [{ path, reason }] : [];
}

/** Texts of ours that hold a variable. Those of the server (names, descriptions, schemas) are never expanded. */
function* strayVariables(value: JsonObject): Iterable<Violation> {
  const [metadata, config] = [membersOf(value["metadata"]), membersOf(value["config"])];
  const places: (readonly [readonly (string | number)[], unknown])[] = [
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
  for (const [path, text] of places) {
    if (typeof text === "string" && text.includes("${")) {
      yield { path, reason: "variables may stand only in values of headers and env" };
    }
  }
}

function* undeclaredVariables(config: JsonObject, needs: readonly JsonObject[]): Iterable<Violation> {
  const declared = new Set(needs.map(({ name }) => name));
  for (const section of ["headers", "env"]) {
    for (const [key, text] of Object.entries(membersOf(config[section]))) {
      if (typeof text !== "string") continue;
      const path = ["config", section, key];
      for (const [, name = ""] of text.matchAll(VARIABLE)) {
        if (!declared.has(name)) yield { path, reason: `${name} is not declared in env_requirements` };
      }
      const isPlain = !text.includes("$${") && !text.replace(VARIABLE, "").includes("${");
      if (!isPlain) yield { path, reason: 'a variable is written "${NAME}" and nothing else' };
    }
  }
}

function* doubledNeeds(needs: readonly JsonObject[]): Iterable<Violation> {
  const seen = new Set<unknown>();
  for (const [index, { name }] of needs.entries()) {
    if (seen.has(name)) yield { path: ["env_requirements", index, "name"], reason: "names the same variable again" };
    seen.add(name);
  }
}

function* doubledHeaders(headers: JsonObject): Iterable<Violation> {
  const seen = new Set<string>();
  for (const name of Object.keys(headers)) {
    const folded = name.toLowerCase();
    if (seen.has(folded)) yield { path: ["config", "headers", name], reason: "names the same header again" };
    seen.add(folded);
  }
}

/** A requirement says to people which header carries it: that has to be so. */
function* idleHeaders(needs: readonly JsonObject[], headers: JsonObject): Iterable<Violation> {
  for (const [index, { name, header }] of needs.entries()) {
    if (typeof header !== "string" || typeof name !== "string") continue;
    const sent = Object.entries(headers).find(([key]) => key.toLowerCase() === header.toLowerCase())?.[1];
    if (typeof sent === "string" && sent.includes(`\${${name}}`)) continue;
    yield {
      path: ["env_requirements", index, "header"],
      reason: "no such header of config.headers holds the variable",
    };
  }
}

function membersOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
