import { z } from "zod";
import { httpFile, stdioFile } from "./file-schema.js";

/** The JSON Schema of a tool file, for editors. Draft 7, which all of them support. */
export function toolFileJsonSchema(): Record<string, unknown> {
  const [{ $schema, ...http }, { $schema: _, ...stdio }] = [toSchema(httpFile), toSchema(stdioFile)];
  return {
    $schema,
    $id: "urn:anygpt:discovery:tool-file",
    title: "A tool file of @anygpt/discovery",
    anyOf: [http, stdio],
  };
}

function toSchema(file: z.ZodType): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(file, { io: "input", target: "draft-7" });
}
