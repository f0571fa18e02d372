// Schemas whose root is not a plain object: clients can read the published schema, and the gateway accepts the same
// values as the original schema.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Ajv2020 } from "ajv/dist/2020.js";
import { fileURLToPath } from "node:url";
import { withDeadline } from "../../support/deadline.js";
import { type Json, openGateway } from "../../support/gateway.js";
import { type FaultHome, inHome } from "../../support/home.js";
import { createRandom, type Random } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { endingOf, plainTool, scripted } from "../../support/scripted.js";

const LAUNCH = fileURLToPath(new URL("../../support/launch.mjs", import.meta.url));
const LIMIT_MS = 60_000;
const AT_ONCE = 20;

const text = { type: "string" };
const number = { type: "number" };
const has = (name: string, schema: object): Json => ({ properties: { [name]: schema }, required: [name] });

const ROOTS: Readonly<Record<string, Json>> = {
  anyOf: { anyOf: [has("a", text), has("b", number)] },
  oneOf: { oneOf: [has("a", text), has("b", number)] },
  allOf: { allOf: [has("a", text), { properties: { b: number } }] },
  ref: { $ref: "#/$defs/root", $defs: { root: { type: "object", ...has("a", text) } } },
  not: { not: has("a", number) },
  untyped: { properties: { a: text, b: number }, additionalProperties: false },
  nothing: {},
  typed: { type: "object", anyOf: [has("a", text), has("c", { type: "boolean" })], minProperties: 1 },
  types: { type: ["object", "null"], ...has("b", number) },
  condition: { if: has("a", text), else: { required: ["c"], ...has("b", number) } },
  dependent: { dependentRequired: { a: ["b"] }, dependentSchemas: { c: has("a", text) } },
  names: { propertyNames: { enum: ["a", "b"] }, patternProperties: { "^a$": text } },
  forbidden: { properties: { a: false } },
  denied: { if: has("a", text), else: false },
  needed: { $ref: "#/$defs/some", $defs: { some: { required: ["a"], properties: { b: false } } } },
  lists: { properties: { a: { items: false }, c: { contains: text } } },
  unevaluated: { allOf: [{ properties: { a: text } }], unevaluatedProperties: false },
};

/** `count`: how many random values are tried. */
export async function schemaRoots({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const random = createRandom(seed);
    const tools = Object.entries(ROOTS).map(([name, schema]) => plainTool(name, schema));
    home.configure({ roots: scripted(home, "roots", { tools }) });
    const violations = await findUnreadable(home, dist);
    const ajv = new Ajv2020({ strict: false });
    const checks = Object.entries(ROOTS).map(([tool, schema]) => ({ tool, fits: ajv.compile(schema) }));
    const gateway = await openGateway(home, { dist });
    let accepted = 0;
    const ask = async (): Promise<void> => {
      const { tool, fits } = random.pick(checks);
      const args = randomObject(random);
      const isRight = fits(args);
      const ending = endingOf(await gateway.execute({ server: "roots", tool, arguments: args }));
      if (isRight) accepted += 1;
      if (ending !== (isRight ? "answer" : "TOOL_VALIDATION_ERROR"))
        violations.push(
          `${tool} with ${JSON.stringify(args)} ends in ${ending}, though it ${isRight ? "matches" : "does not match"}`,
        );
    };
    for (let n = 0; n < count; n += AT_ONCE) {
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - n) }, ask));
      if (n % 500 === 0) onProgress?.(`${n} of ${count} values`);
    }
    await gateway.close();
    return {
      title: "schemas whose root is not a plain object",
      n: count + tools.length,
      injected: tools.length,
      violations,
      figures: { roots: tools.length, "valid values": accepted, "invalid values": count - accepted },
    };
  });
}

/** Every tool under its own name, as the official SDK client reads it: it rejects the whole list for one invalid tool. */
async function findUnreadable(home: FaultHome, dist: string): Promise<string[]> {
  const client = new Client({ name: "stock", version: "1.0.0" });
  const words = [LAUNCH, dist, "discovery", "--config", home.config];
  const env = { ...home.env, MCP_TOOL_MODE: "full" };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: words, env, stderr: "ignore" }));
  const wanted = Object.keys(ROOTS).length;
  const read = async () => {
    for (;;) {
      const { tools } = await client.listTools();
      if (tools.length >= wanted) return tools;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  try {
    const tools = await withDeadline(read(), LIMIT_MS, "the list of all tools");
    return tools.flatMap(({ name, inputSchema }) =>
      inputSchema.type === "object" ? [] : [`${name} is not listed as an object`],
    );
  } catch (error) {
    return [`the official SDK client cannot read the list: ${String(error).slice(0, 300)}`];
  } finally {
    await client.close();
  }
}

function randomObject(random: Random): Json {
  const names = ["a", "b", "c", "d"].filter(() => random.chance(0.45));
  const value = (): unknown => random.pick<unknown>(["x", "", 1, 0.5, true, null, [], {}, ["x"]]);
  return Object.fromEntries(names.map((name) => [name, value()]));
}
