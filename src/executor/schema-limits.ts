import { DiscoveryError } from "../errors.js";

/** Limits for schemas that come from servers. A schema beyond them is not evaluated. */
export const SCHEMA_LIMITS = { bytes: 262_144, depth: 64, nodes: 50_000, enumValues: 10_000 } as const;

/** Throws if the schema is too large or too deep. Iterative, so that a deep schema cannot overflow the stack. */
export function assertSchemaWithinLimits(schema: unknown, tool: string): void {
  const refuse = (what: string): never => {
    throw new DiscoveryError("TOOL_VALIDATION_ERROR", `The schema of ${tool} ${what}.`, {
      hint: "The tool cannot be called safely. Report the schema to the author of the server.",
    });
  };
  const open: { value: unknown; depth: number }[] = [{ value: schema, depth: 0 }];
  let nodes = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    nodes += 1;
    if (nodes > SCHEMA_LIMITS.nodes) refuse(`has more than ${SCHEMA_LIMITS.nodes} parts`);
    if (typeof value !== "object" || value === null) continue;
    if (depth >= SCHEMA_LIMITS.depth) refuse(`is nested deeper than ${SCHEMA_LIMITS.depth} levels`);
    if (Array.isArray(value) && value.length > SCHEMA_LIMITS.enumValues) {
      refuse(`has a list of more than ${SCHEMA_LIMITS.enumValues} entries`);
    }
    for (const member of Object.values(value)) open.push({ value: member, depth: depth + 1 });
  }
  if (JSON.stringify(schema).length > SCHEMA_LIMITS.bytes) refuse(`is larger than ${SCHEMA_LIMITS.bytes} bytes`);
}
