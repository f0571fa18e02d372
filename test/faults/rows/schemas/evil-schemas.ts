// Tool schemas with patterns that backtrack for hours: the gateway and calls to other servers are not affected.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Gateway, type Json, openGateway } from "../../support/gateway.js";
import { inHome } from "../../support/home.js";
import { readLag } from "../../support/lag.js";
import type { RowOptions, RowResult } from "../../support/row.js";
import { endingOf, plainTool, scripted } from "../../support/scripted.js";
import { judgeTime } from "../../support/timing.js";

const STOCK = fileURLToPath(new URL("../../support/stock-caller.mjs", import.meta.url));
const STOCK_LIMIT_MS = 15_000;
const LAG_GATE_MS = 50;
/** A busy machine delays the event loop; a pattern that reaches it blocks it for hours. */
const TIMES_GATE = 5;
const INNOCENT_PER_ROUND = 10;

const EVIL = "(a+)+$";
const HOSTILE = `${"a".repeat(30)}!`;
const LONG = `${"a".repeat(50_000)}!`;

const object = (properties: Json, rest: Json = {}): Json => ({ type: "object", properties, ...rest });

/** Arguments that do not match, and the allowed outcomes: the schema is rejected, or evaluated in bounded time. */
const INPUTS: Readonly<Record<string, { schema: Json; args: Json }>> = {
  pattern: { schema: object({ a: { type: "string", pattern: EVIL } }), args: { a: HOSTILE } },
  long: { schema: object({ a: { type: "string", pattern: "^(a|aa)+$" } }), args: { a: LONG } },
  backreference: { schema: object({ a: { type: "string", pattern: "^(a+)+\\1$" } }), args: { a: HOSTILE } },
  lookahead: { schema: object({ a: { type: "string", pattern: "^(?=(a+)+$)b" } }), args: { a: HOSTILE } },
  names: {
    schema: object({}, { patternProperties: { [EVIL]: { type: "number" } }, additionalProperties: false }),
    args: { [HOSTILE]: 1 },
  },
  propertyNames: { schema: object({}, { propertyNames: { pattern: EVIL } }), args: { [HOSTILE]: 1 } },
  email: { schema: object({ a: { type: "string", format: "email" } }), args: { a: `${"a.".repeat(20_000)}@` } },
  uri: { schema: object({ a: { type: "string", format: "uri" } }), args: { a: `${"a".repeat(20_000)}:[` } },
  template: { schema: object({ a: { type: "string", format: "uri-template" } }), args: { a: "{".repeat(20_000) } },
  hostname: { schema: object({ a: { type: "string", format: "hostname" } }), args: { a: "a-".repeat(20_000) } },
  regex: { schema: object({ a: { type: "string", format: "regex" } }), args: { a: `(${"a".repeat(20_000)}` } },
};
const EVIL_RESULT = { content: [{ type: "text", text: "{}" }], structuredContent: { a: HOSTILE } };
const CLEAN_ENDINGS = ["answer", "TOOL_VALIDATION_ERROR", "TOOL_EXECUTION_ERROR"];

/** `count`: how often each tool is called. */
export async function evilSchemas({ count, dist, triesStock = false, onProgress }: RowOptions): Promise<RowResult> {
  return await inHome(async (home) => {
    const evil = scripted(home, "evil", {
      tools: [
        { ...plainTool("output"), outputSchema: object({ a: { type: "string", pattern: EVIL } }) },
        ...Object.entries(INPUTS).map(([name, { schema }]) => plainTool(name, schema)),
      ],
      results: { output: EVIL_RESULT },
    });
    home.configure({ evil, good: scripted(home, "good", { tools: [plainTool("one")] }) });
    const gateway = await openGateway(home, { dist, measuresLag: true });
    await Promise.all([innocent(gateway, 1), gateway.execute({ server: "evil", tool: "output", arguments: {} })]);

    await readLag(home, gateway.pid);
    const rounds = count * (Object.keys(INPUTS).length + 1);
    const idle: number[] = [];
    for (let n = 0; n < rounds; n += 1) idle.push(...(await innocent(gateway, INNOCENT_PER_ROUND)));
    const control = await readLag(home, gateway.pid);

    onProgress?.("measuring the control");
    const violations: string[] = [];
    const endings: Record<string, number> = {};
    const others: number[] = [];
    const call = async (tool: string, args: Json): Promise<void> => {
      const [outcome, ms] = await Promise.all([
        gateway.execute({ server: "evil", tool, arguments: args }),
        innocent(gateway, INNOCENT_PER_ROUND),
      ]);
      others.push(...ms);
      const ending = endingOf(outcome);
      endings[ending] = (endings[ending] ?? 0) + 1;
      if (!CLEAN_ENDINGS.includes(ending)) violations.push(`${tool} ends in ${ending}`);
    };
    for (let n = 0; n < count; n += 1) {
      await call("output", {});
      for (const [tool, { args }] of Object.entries(INPUTS)) await call(tool, args);
    }
    const lag = await readLag(home, gateway.pid);
    await gateway.close();
    const judged = judgeTime({
      of: "longest block of the event loop",
      ms: [lag.max],
      gateMs: LAG_GATE_MS,
      control: [control.max],
      timesGate: TIMES_GATE,
    });
    violations.push(...judged.violations);
    const median = (ms: readonly number[]): number => ms.toSorted((one, other) => one - other)[ms.length >> 1] ?? 0;
    return {
      title: "schemas with catastrophic backtracking",
      n: rounds,
      injected: rounds,
      violations,
      gates: [judged.gate],
      figures: {
        "worst lag of the event loop, ms": Math.round(lag.max),
        "worst lag without faults, ms": Math.round(control.max),
        "p99 lag, ms": Math.round(lag.p99),
        "p99 lag without faults, ms": Math.round(control.p99),
        "other calls, median ms": Math.round(median(others)),
        "other calls without faults, median ms": Math.round(median(idle)),
        ...endings,
      },
      times: { of: "calls of another server at the same time", ms: others },
      ...(triesStock ? { stock: await callStock(evil) } : {}),
    };
  });
}

async function innocent(gateway: Gateway, count: number): Promise<number[]> {
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const from = performance.now();
      const outcome = await gateway.execute({ server: "good", tool: "one", arguments: {} });
      if (outcome.kind !== "answer") throw new Error(`A call of another server ended in ${endingOf(outcome)}.`);
      return performance.now() - from;
    }),
  );
}

/** The official SDK client in its own process, which is killed after a time limit. */
async function callStock({
  command,
  args,
}: {
  command: string;
  args: string[];
}): Promise<Record<string, string | number>> {
  return await new Promise((resolve) => {
    const limits = { timeout: STOCK_LIMIT_MS, killSignal: "SIGKILL" as const };
    execFile(process.execPath, [STOCK, "output", command, ...args], limits, (error, stdout) => {
      if (error !== null || stdout === "") return resolve({ "event loop blocked, ms": `over ${STOCK_LIMIT_MS}` });
      const { ending, heldUpMs, ms } = JSON.parse(stdout) as { ending: string; heldUpMs: number; ms: number };
      resolve({ "event loop blocked, ms": heldUpMs, "call, ms": ms, ending });
    });
  });
}
