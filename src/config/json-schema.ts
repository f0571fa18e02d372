import { z } from "zod";
import { configOptions } from "./options.js";

/** JSON Schema (draft 7, which every editor supports) of the configuration, at the top level or under `discovery`. */
export function configJsonSchema(): Record<string, unknown> {
  const { $schema, ...discovery } = z.toJSONSchema(configOptions, { io: "input", target: "draft-7" });
  const reference = { $ref: "#/definitions/discovery" };
  return {
    $schema,
    $id: "urn:anygpt:discovery:config",
    title: "Configuration of @anygpt/discovery",
    definitions: { discovery },
    anyOf: [reference, { type: "object", properties: { discovery: reference }, required: ["discovery"] }],
  };
}
