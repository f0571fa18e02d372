// Schemas that grow when they are parsed, and calls to their tools: rejected or stopped in time, and the next call is
// validated again.
import { type Gateway, type Json, openGateway } from "../../support/gateway.js";
import { inHome } from "../../support/home.js";
import { readLag } from "../../support/lag.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { endingOf, plainTool, scripted } from "../../support/scripted.js";
import { judgeTime } from "../../support/timing.js";

const LAG_GATE_MS = 50;
/** A busy machine delays the event loop; a bomb that reaches it blocks it for minutes. */
const TIMES_GATE = 5;
const HUGE_BYTES = 50_000_000;

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
const properties = (count: number): Json =>
  Object.fromEntries(numbers(count).map((n) => [`p${n}`, { type: "string", pattern: `^${n}` }]));
const object = (rest: Json): Json => ({ type: "object", ...rest });
/** As text: a value of this depth cannot be serialized recursively. */
const nest = (depth: number): string => `${'{"not":'.repeat(depth)}{"type":"object"}${"}".repeat(depth)}`;
/** Each level refers twice to the level below. */
const doubling = (levels: number): Json => ({
  $ref: `#/$defs/l${levels}`,
  $defs: Object.fromEntries([
    ["l0", { type: "object" }],
    ...numbers(levels).map((n) => [`l${n + 1}`, { allOf: [{ $ref: `#/$defs/l${n}` }, { $ref: `#/$defs/l${n}` }] }]),
  ]) as Json,
});
const list = (count: number): Json => ({ list: numbers(count).map((n) => ({ n, text: "x".repeat(20) })) });

const BOMBS: Readonly<Record<string, { schema: Json | string; args?: Json }>> = {
  "5,000 properties": { schema: object({ properties: properties(5000) }), args: { p4999: "x" } },
  "20,000 properties": { schema: object({ properties: properties(20_000) }), args: { p1: "x" } },
  "5,000 levels": { schema: nest(5000) },
  "2,000 alternatives": { schema: object({ anyOf: numbers(2000).map((n) => ({ required: [`p${n}`] })) }), args: {} },
  "200,000 values": { schema: object({ properties: { a: { enum: numbers(200_000) } } }), args: { a: -1 } },
  "2^24 combinations": { schema: doubling(24) },
  "2^60 combinations": { schema: doubling(60) },
  "5,000 unique objects": {
    schema: object({ properties: { list: { type: "array", uniqueItems: true } } }),
    args: list(5000),
  },
  "nested unevaluated": {
    schema: object({
      unevaluatedProperties: false,
      allOf: numbers(500).map((n) => ({ properties: { [`p${n}`]: {} } })),
    }),
    args: { q: 1 },
  },
};
/** As many parts as the bombs have, in schemas that do not grow: the time to compile them is the control. */
const LARGE = [
  ...numbers(25).map((n) => plainTool(`properties${n}`, object({ properties: properties(1000) }))),
  ...numbers(40).map((n) => plainTool(`values${n}`, object({ properties: { a: { enum: numbers(5000) } } }))),
];
/** A message with this definition is not parsed, so that the server with it has no tool list. */
const TOO_DEEP = "5,000 levels";
/** Definitions of an unreasonable size are dropped from the list. */
const CLEAN_ENDINGS = ["answer", "TOOL_VALIDATION_ERROR", "TOOL_NOT_FOUND"];
const COMPLEX = plainTool("complex", object({ properties: { a: { type: "string" } }, allOf: [{ required: ["a"] }] }));

/** `count`: how often each tool is called. */
export async function schemaBombs({ count, dist, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const tools = Object.values(BOMBS).map(({ schema }, n) =>
      typeof schema === "string" ? `{"name":"bomb${n}","inputSchema":${schema}}` : plainTool(`bomb${n}`, schema),
    );
    const huge = { ...plainTool("huge"), description: "x".repeat(HUGE_BYTES) };
    const isDeep = (n: number): boolean => Object.keys(BOMBS)[n] === TOO_DEEP;
    home.configure({
      bombs: scripted(home, "bombs", { tools: [...tools.filter((_, n) => !isDeep(n)), COMPLEX] }),
      deep: scripted(home, "deep", { tools: tools.filter((_, n) => isDeep(n)) }),
      good: scripted(home, "good", { tools: [plainTool("one"), COMPLEX] }),
      huge: scripted(home, "huge", { tools: [huge] }),
      large: scripted(home, "large", { tools: [...LARGE, COMPLEX] }),
    });
    const gateway = await openGateway(home, { dist, measuresLag: true });
    const good = await checked(gateway, "good");
    await readLag(home, gateway.pid);
    await checked(gateway, "large");
    for (let n = 0; n < count * tools.length; n += 1) await checked(gateway, "good");
    const control = await readLag(home, gateway.pid);
    const violations = good.isRight ? [] : ["a plain call is not validated"];
    const endings: Record<string, number> = {};
    const recovery: number[] = [];
    const refusals: number[] = [];
    let worst = { what: "none", max: 0 };
    for (let round = 0; round < count; round += 1) {
      onProgress?.(`round ${round + 1} of ${count}`);
      for (const [n, [what, { args = {} }]] of Object.entries(BOMBS).entries()) {
        const from = performance.now();
        const server = isDeep(n) ? "deep" : "bombs";
        const ending = endingOf(await gateway.execute({ server, tool: `bomb${n}`, arguments: args }));
        refusals.push(performance.now() - from);
        const { max } = await readLag(home, gateway.pid);
        if (max > worst.max) worst = { what, max };
        endings[ending] = (endings[ending] ?? 0) + 1;
        const isClean = isDeep(n) ? ending === "SERVER_CONNECTION_ERROR" : CLEAN_ENDINGS.includes(ending);
        if (!isClean) violations.push(`${what} ends in ${ending}`);
        for (const server of ["good", "bombs"]) {
          const after = await checked(gateway, server);
          recovery.push(after.ms);
          if (!after.isRight) violations.push(`after ${what} the arguments of ${server} are not validated`);
        }
      }
    }
    const ending = endingOf(await gateway.execute({ server: "huge", tool: "huge", arguments: {} }));
    if (ending === "answer" || ending === "died") violations.push(`a definition of 50 MB ends in ${ending}`);
    if (!(await checked(gateway, "good")).isRight) violations.push("after a definition of 50 MB nothing is validated");
    await gateway.close();
    const judged = judgeTime({
      of: `longest block of the event loop, at ${worst.what}`,
      ms: [worst.max],
      gateMs: LAG_GATE_MS,
      control: [control.max],
      timesGate: TIMES_GATE,
    });
    violations.push(...judged.violations);
    return {
      title: "schemas that grow exponentially",
      n: refusals.length + recovery.length + 1,
      injected: refusals.length + 1,
      violations,
      gates: [judged.gate],
      figures: {
        "worst schema": worst.what,
        "worst lag of the event loop, ms": Math.round(worst.max),
        "worst lag without faults, ms": Math.round(control.max),
        "slowest rejection, ms": Math.round(Math.max(...refusals)),
        "a definition of 50 MB": ending,
        ...endings,
      },
      times: { of: "the next validation in the worker, after a schema bomb", ms: recovery },
    };
  });
}

/** A valid and an invalid call of a tool that only the worker can validate. */
async function checked(gateway: Gateway, server: string): Promise<{ isRight: boolean; ms: number }> {
  const from = performance.now();
  const right = await gateway.execute({ server, tool: "complex", arguments: { a: "x" } });
  const ms = performance.now() - from;
  const wrong = await gateway.execute({ server, tool: "complex", arguments: {} });
  return { isRight: right.kind === "answer" && endingOf(wrong) === "TOOL_VALIDATION_ERROR", ms };
}
