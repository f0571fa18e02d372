import type { Execution, Outcome } from "../gateway.js";
import type { Attempt } from "../history.js";
import type { Random } from "../random.js";
import { describe } from "../replay.js";
import { SERVERS, type SoakPlace } from "./place.js";

type Surface = "stdio" | "http";

export type SoakCall =
  | { readonly kind: "meta"; readonly surface: Surface; readonly tool: string; readonly args: Record<string, unknown> }
  | {
      readonly kind: "execute";
      readonly surface: Surface;
      readonly number: number;
      readonly id: string;
      /** Whether its effect is checked in the ledger. */
      readonly isKeyed: boolean;
      readonly expects: "answer" | "tool-error" | "refusal";
      readonly execution: Execution;
    };

const WORDS = ["create invoice", "list tickets", "search messages", "update calendar", "read report of customer"];
const TIMEOUT_SECONDS = 5;
/** So few that all are younger than the time for which a key is stored. */
const RECENT = 20;
const LONGEST_WORK_MS = 20;

/** The calls: mostly reads, some writes with keys and their repetitions, some invalid calls, and searches. */
export function createMix(random: Random): (number: number) => SoakCall {
  const keyed: (SoakCall & { kind: "execute" })[] = [];
  const meta = (tool: string, args: Record<string, unknown>): SoakCall => ({
    kind: "meta",
    surface: random.pick(["stdio", "http"]),
    tool,
    args,
  });
  const execute = (number: number, tool: string, args: object, more: object = {}): SoakCall & { kind: "execute" } => {
    const id = `soak-${number}`;
    const options = { timeout: TIMEOUT_SECONDS, ...more };
    return {
      kind: "execute",
      surface: random.pick(["stdio", "http"]),
      number,
      id,
      isKeyed: tool === "effect",
      expects: "answer",
      execution: {
        server: random.pick(SERVERS),
        tool,
        arguments: { id, ...args },
        options,
        meta: { "faults/attempt": number },
      },
    };
  };
  const write = (number: number): SoakCall => {
    const earlier = keyed.length > 0 && random.chance(0.2) ? random.pick(keyed) : undefined;
    if (earlier !== undefined) {
      const execution = { ...earlier.execution, meta: { "faults/attempt": number } };
      // Over the same surface: another surface is another actor with its own keys.
      return { ...earlier, number, execution };
    }
    const made = execute(number, "effect", {}, { idempotency_key: `key-${number}` });
    keyed.push(made);
    if (keyed.length > RECENT) keyed.shift();
    return made;
  };
  return (number) => {
    const dice = random.next();
    if (dice < 0.5) return execute(number, "read", { silent: true, delay: random.between(0, LONGEST_WORK_MS) });
    if (dice < 0.7) return write(number);
    if (dice < 0.75) return { ...execute(number, "read", { silent: true, mode: "error" }), expects: "tool-error" };
    if (dice < 0.78) return { ...execute(number, "raed", {}), expects: "refusal" };
    if (dice < 0.9) return meta("search_tools", { query: random.pick(WORDS) });
    return meta("get_tool_details", { server: random.pick(SERVERS), tool: "read" });
  };
}

export function sendCall({ stdio, http }: SoakPlace, call: SoakCall): Promise<Outcome> {
  if (call.kind === "execute") return (call.surface === "stdio" ? stdio : http).execute(call.execution);
  if (call.surface === "http") return http.callTool(call.tool, call.args);
  return stdio.request("tools/call", { name: call.tool, arguments: call.args });
}

/** The history of the calls: those with keys one by one, the others as counts. */
export interface SoakHistory {
  readonly attempts: Attempt[];
  readonly endings: Map<string, number>;
  readonly violations: string[];
  readonly latencies: number[];
}

/** Codes that are a defect whatever happens at a server. */
const DEFECTS: ReadonlySet<string> = new Set(["INTERNAL_ERROR", "AUDIT_UNAVAILABLE", "CONFIGURATION_ERROR"]);

export function note(history: SoakHistory, call: SoakCall, outcome: Outcome): void {
  const ending = outcome.kind === "error" ? outcome.code : outcome.kind;
  history.endings.set(ending, (history.endings.get(ending) ?? 0) + 1);
  if (call.kind === "execute" && call.isKeyed) {
    history.attempts.push({ number: call.number, id: call.id, isIdempotent: false, outcome });
    return;
  }
  const problem = findProblem(call, outcome);
  if (problem !== undefined) history.violations.push(problem);
}

function findProblem(call: SoakCall, outcome: Outcome): string | undefined {
  const at = call.kind === "meta" ? `${call.tool} over ${call.surface}` : `${call.id} over ${call.surface}`;
  if (outcome.kind === "died" || outcome.kind === "refused") return `${at}: ${describe(outcome)}`;
  if (outcome.kind === "error") {
    const isExpected = call.kind === "execute" && !DEFECTS.has(outcome.code);
    return isExpected ? undefined : `${at}: ${describe(outcome)}: ${JSON.stringify(outcome.error)}`;
  }
  if (call.kind === "meta") return undefined;
  if (call.expects === "refusal") return `${at}: a tool that does not exist was answered`;
  const text = JSON.stringify(outcome.result);
  if (!text.includes(`done ${call.id}`)) return `${at}: it was answered with ${text.slice(0, 200)}`;
  const isError = outcome.result["isError"] === true;
  return isError === (call.expects === "tool-error") ? undefined : `${at}: isError is ${isError}`;
}
