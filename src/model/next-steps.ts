// The next steps after a failure, as data. Each surface renders them differently: this file for the library,
// `next-steps.ts` in src/metatools for MCP, and in src/surfaces/http and src/surfaces/cli for REST and the command
// line.
import { READ_RESULT } from "./built-in.js";
import type { JsonObject } from "./json.js";

/** One action that can resolve a failure. A surface renders it in its own terms. */
export type NextStep =
  /** Advice that fits every surface: complete sentences that name no command, meta-tool, route or method. */
  | { readonly action: "advice"; readonly text: string }
  | { readonly action: "list-servers" }
  | { readonly action: "list-tools"; readonly server: string }
  | { readonly action: "search"; readonly query?: string; readonly server?: string }
  | { readonly action: "inspect"; readonly server: string; readonly tool: string }
  | { readonly action: "execute"; readonly server?: string; readonly tool?: string }
  | { readonly action: "retry"; readonly afterSeconds?: number }
  /** The call took longer than its timeout: repeat it with a longer one. */
  | { readonly action: "raise-timeout" }
  | { readonly action: "pass-key" }
  /** The caller may confirm the request with this id itself. */
  | { readonly action: "confirm"; readonly id: string }
  /** Only the user may answer the confirmation request with this id. */
  | { readonly action: "approve"; readonly id: string }
  | { readonly action: "sign-in"; readonly server: string; readonly command: string }
  /**
   * `command` begins with the program's name. `purpose` completes the sentence "Run it to …", for example "see all
   * keys".
   */
  | { readonly action: "run-command"; readonly command: string; readonly purpose?: string }
  | ConfigStep
  | VariableStep
  | FileStep;

/**
 * A change in the configuration. `key` is a path in it, such as `adapters.shop.baseUrl`. Default of `change`: "set".
 */
export interface ConfigStep {
  readonly action: "edit-config";
  readonly key: string;
  readonly change?: "set" | "add" | "correct" | "remove";
  readonly value?: string;
}

/** An environment variable to set. `files`: files in which the variable can be set instead. */
export interface VariableStep {
  readonly action: "set-variable";
  readonly name: string;
  readonly value?: string;
  readonly files?: readonly string[];
}

export interface FileStep {
  readonly action: "edit-file";
  readonly path: string;
  readonly change: "read" | "remove" | "correct" | "permissions";
}

/** The next steps in the order in which to try them. A string is an `advice` step. */
export type Hint = string | NextStep | readonly (string | NextStep)[];

/** Renders a next step as one or more complete sentences. */
export type DescribeStep = (step: NextStep) => string;

export function toNextSteps(hint: Hint | undefined): readonly NextStep[] {
  if (hint === undefined) return [];
  const steps = typeof hint === "string" || "action" in hint ? [hint] : hint;
  return steps.flatMap((step): NextStep[] => {
    if (typeof step !== "string") return [step];
    return step === "" ? [] : [{ action: "advice", text: step }];
  });
}

const ACTIONS: Readonly<Record<NextStep["action"], true>> = {
  advice: true,
  "list-servers": true,
  "list-tools": true,
  search: true,
  inspect: true,
  execute: true,
  retry: true,
  "raise-timeout": true,
  "pass-key": true,
  confirm: true,
  approve: true,
  "sign-in": true,
  "run-command": true,
  "edit-config": true,
  "set-variable": true,
  "edit-file": true,
};

/**
 * Parses the hint of a stored error. Versions before 0.2 stored a string; newer versions may store actions that this
 * version does not know.
 */
export function readHint(stored: unknown): Hint {
  if (typeof stored === "string") return stored;
  return Array.isArray(stored) ? stored.filter(isNextStep) : [];
}

function isNextStep(value: unknown): value is NextStep {
  if (typeof value !== "object" || value === null || !("action" in value)) return false;
  return Object.hasOwn(ACTIONS, String(value.action));
}

/** Renders all steps of a hint as one text; undefined if the hint has no steps. */
export function renderHint(hint: Hint | undefined, describe: DescribeStep): string | undefined {
  const steps = toNextSteps(hint);
  return steps.length === 0 ? undefined : steps.map(describe).join(" ");
}

/** Joins the message of a failure and its rendered next steps to one text. */
export function withHintText(
  { message, nextSteps }: { readonly message: string; readonly nextSteps: readonly NextStep[] },
  describe: DescribeStep,
): string {
  return [message, renderHint(nextSteps, describe)].filter(Boolean).join(" ");
}

/** Next steps whose text is the same on every surface. */
export type CommonStep = Extract<NextStep, { action: "advice" }> | ConfigStep | VariableStep | FileStep;

export function describeCommonStep(step: CommonStep): string {
  switch (step.action) {
    case "advice":
      return step.text;
    case "edit-config":
      return describeConfigStep(step);
    case "set-variable":
      return describeVariableStep(step);
    case "edit-file":
      return describeFileStep(step);
  }
}

function describeConfigStep({ key, change = "set", value }: ConfigStep): string {
  switch (change) {
    case "set":
      return `Set \`${key}\`${value === undefined ? "" : ` to ${value}`} in the configuration.`;
    case "add":
      return `Add ${value ?? "an entry"} to \`${key}\` in the configuration.`;
    case "correct":
      return `Correct \`${key}\` in the configuration.`;
    case "remove":
      return `Remove \`${key}\` from the configuration.`;
  }
}

function describeVariableStep({ name, value, files = [] }: VariableStep): string {
  const set = `Set the environment variable ${name}${value === undefined ? "" : ` to ${value}`}`;
  if (files.length === 0) return `${set}.`;
  const others = files.length === 1 ? files[0] : `${files.slice(0, -1).join(", ")} or ${files.at(-1)}`;
  return `${set}, or set it in ${others}.`;
}

function describeFileStep({ path, change }: FileStep): string {
  switch (change) {
    case "read":
      return `Read ${path}.`;
    case "remove":
      return `Remove ${path}.`;
    case "correct":
      return `Correct ${path}.`;
    case "permissions":
      return `Correct the permissions of ${path} and its folder.`;
  }
}

/** Renders a next step for users of the library, with the methods and options of `DiscoveryEngine`. */
export function describeLibraryStep(step: NextStep): string {
  switch (step.action) {
    case "list-servers":
      return "Call listServers() to see all servers.";
    case "list-tools":
      return `Call listTools(${JSON.stringify(step.server)}) to see all tools of ${step.server}.`;
    case "search": {
      const options = step.server === undefined ? "" : `, ${JSON.stringify({ server: step.server })}`;
      const args = step.query === undefined && options === "" ? "query" : JSON.stringify(step.query ?? "…");
      return `Call searchTools(${args}${options}) to find tools by what they do.`;
    }
    case "inspect":
      return `Call getToolDetails(${JSON.stringify(step.server)}, ${JSON.stringify(step.tool)}) to read the tool's parameters.`;
    case "execute":
      return `Call executeTool(${JSON.stringify(step.server ?? "…")}, ${JSON.stringify(step.tool ?? "…")}, args) to run the tool.`;
    case "retry":
      return `Call again${inSeconds(step.afterSeconds)}.`;
    case "raise-timeout":
      return "Allow the call more time with the option `timeoutMs`.";
    case "pass-key":
      return "Pass the option `idempotencyKey` with a new value, and the same value again when you repeat this call.";
    case "confirm":
      return "If the user agrees, repeat the same call unchanged with the option `confirmed: true`.";
    case "approve":
      return `Run \`${approveCommand(step.id)}\` in a terminal to decide about the call, then repeat the same call unchanged.`;
    case "sign-in":
      return `Run \`${step.command}\` in a terminal to sign in to ${step.server}.`;
    case "run-command":
      return `Run \`${step.command}\` in a terminal${toPurpose(step.purpose)}.`;
    case "advice":
    case "edit-config":
    case "set-variable":
    case "edit-file":
      return describeCommonStep(step);
  }
}

/** Writes a call of `anygpt:read_result` as a call of `DiscoveryEngine.executeTool`. */
export function describeLibraryReading(args: JsonObject): string {
  return `executeTool(${[READ_RESULT.server, READ_RESULT.name, args].map((one) => JSON.stringify(one)).join(", ")})`;
}

export function approveCommand(id: string): string {
  return `anygpt mcp approve ${id}`;
}

/** Returns for example " in 5 s", or an empty string if `seconds` is undefined. */
export function inSeconds(seconds: number | undefined): string {
  return seconds === undefined ? "" : ` in ${seconds} s`;
}

/** Returns for example " to see all keys", or an empty string if `purpose` is undefined. */
export function toPurpose(purpose: string | undefined): string {
  return purpose === undefined ? "" : ` to ${purpose}`;
}
