// Arguments with prototype pollution keys: rejected before anything is hashed or sent, or sent unchanged.
import { type Gateway, openGateway } from "../../support/gateway.js";
import { inHome } from "../../support/home.js";
import { createRandom, type Random } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { endingOf, givenOf, plainTool, scripted } from "../../support/scripted.js";

const KEYS = [
  "__proto__",
  "constructor",
  "prototype",
  "\\u005f_proto__",
  "toString",
  "hasOwnProperty",
  "__defineGetter__",
];
const TOOLS = {
  open: { type: "object" },
  closed: { type: "object", properties: { a: {} }, additionalProperties: false },
  worked: { type: "object", allOf: [{ properties: { a: {} } }] },
};

/** `count`: the number of calls. */
export async function argumentKeys({ count, seed, dist }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const random = createRandom(seed);
    const tools = Object.entries(TOOLS).map(([name, schema]) => plainTool(name, schema));
    home.configure({ s: scripted(home, "s", { tools }) });
    const gateway = await openGateway(home, { dist });
    await gateway.execute({ server: "s", tool: "open", arguments: {} });
    const violations: string[] = [];
    const endings: Record<string, number> = {};
    for (let n = 0; n < count; n += 1) {
      const args = randomArguments(random);
      const tool = random.pick(Object.keys(TOOLS));
      const outcome = await call(gateway, { tool, args, isText: random.chance(0.3) });
      const ending = endingOf(outcome);
      endings[ending] = (endings[ending] ?? 0) + 1;
      if (ending === "answer") {
        const arrived = JSON.stringify(givenOf(outcome)?.args);
        // As a parser that keeps every key reads it.
        if (arrived !== JSON.stringify(JSON.parse(args))) violations.push(`${args} arrives as ${arrived}`);
        if (/__proto__|\\u005f/.test(args)) violations.push(`${args} is sent`);
      } else if (!["TOOL_VALIDATION_ERROR", "INVALID_REQUEST"].includes(ending) && !ending.startsWith("refused")) {
        violations.push(`${args} ends in ${ending}`);
      }
    }
    await gateway.close();
    const title = "arguments with prototype pollution keys";
    return { id: "V8", title, n: count, injected: count, violations, figures: endings };
  });
}

/** Some callers send their arguments as a JSON string. */
async function call(gateway: Gateway, { tool, args, isText }: { tool: string; args: string; isText: boolean }) {
  const id = gateway.newId();
  const given = isText ? JSON.stringify(args) : args;
  const params = `{"name":"execute_tool","arguments":{"server":"s","tool":"${tool}","arguments":${given}}}`;
  return await gateway.raw(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`, id);
}

function randomArguments(random: Random): string {
  const member = `"${random.pick(KEYS)}":${random.pick(['{"polluted":true}', "1", "null", '"x"', "[]"])}`;
  let value = random.chance(0.5) ? `{${member}}` : `{"a":1,${member}}`;
  for (let depth = random.between(0, 4); depth > 0; depth -= 1)
    value = random.chance(0.5) ? `{"a":${value}}` : `{"a":[${value}]}`;
  return value;
}
