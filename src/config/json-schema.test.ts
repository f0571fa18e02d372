import { Validator } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import { configJsonSchema } from "./json-schema.js";

const validator = new Validator(configJsonSchema(), "7");

describe("the JSON Schema", () => {
  it.each<[string, unknown]>([
    ["nothing", {}],
    ["the key $schema", { $schema: "./config.schema.json" }],
    ["a list of servers", { servers: [{ name: "a", command: "x" }] }],
    ["a map of servers", { servers: { "my server": { connection: { type: "http", url: "http://x" } } } }],
    ["one pattern or several", { toolRules: [{ pattern: "*" }, { pattern: ["a", "!b"], enabled: false }] }],
    ["the section discovery next to other sections", { discovery: { cache: { ttl: 5 } }, providers: {} }],
  ])("accepts %s", (_, value) => {
    expect(validator.validate(value)).toMatchObject({ valid: true });
  });

  it.each<[string, unknown]>([
    ["a misspelled key", { serverz: [] }],
    ["a misspelled key inside the section discovery", { discovery: { cache: { tll: 5 } } }],
    ["a server without a name", { servers: [{ command: "x" }] }],
    ["a name with a colon", { servers: { "a:b": { command: "x" } } }],
    ["the wrong type", { cache: { ttl: "5" } }],
  ])("rejects %s", (_, value) => {
    expect(validator.validate(value).valid).toBe(false);
  });

  it("requires nothing and describes every key", () => {
    const { discovery } = configJsonSchema()["definitions"] as Record<string, { required?: []; properties: object }>;
    expect(discovery?.required).toBeUndefined();
    const undescribed = Object.entries(discovery?.properties ?? {}).filter(([, schema]) => !("description" in schema));
    expect(undescribed).toEqual([]);
  });
});
