import { type DiscoveryError, toDiscoveryError } from "../../errors.js";
import { toErrorObject } from "../../metatools/to-error-object.js";
import { isJsonObject } from "../../model/json.js";
import { describeProblem, type Problem } from "../../util/document/problem.js";
import type { Context } from "./context.js";
import { BAD, dim, line, type Line } from "./lines.js";

/** Tells a failure in the form the person asked for, and gives its exit code. */
export function reportFailure(thrown: unknown, context: Context): number {
  const error = toDiscoveryError(thrown);
  if (context.isJson) context.json(toErrorObject(error));
  else context.note(failureLines(error));
  reportDefect(error, context);
  return error.entry.exit;
}

export function failureLines(error: DiscoveryError): Line[] {
  const problems = problemsOf(error);
  const hint = error.hint === undefined ? [] : [line(2, inWordsOfTheCommandLine(error.hint))];
  if (problems.length < 2) return [line(0, BAD, ` ${error.message}`), ...hint];
  return [
    line(0, BAD, ` The configuration has ${problems.length} problems:`),
    ...problems.map((problem) => line(2, problem)),
    ...hint,
  ];
}

/** With a capital at its begin and one mark at its end. */
export function toSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? "" : "."}`;
}

/** All problems of a configuration, not only those that fit a message. */
export function problemsOf({ facts }: DiscoveryError): string[] {
  const { problems } = facts;
  if (!Array.isArray(problems)) return [];
  return problems
    .filter(isJsonObject)
    .map((problem) =>
      "rule" in problem
        ? `toolRules[${Number(problem["rule"]) - 1}]: ${String(problem["pattern"])}: ${String(problem["reason"])}`
        : describeProblem(problem as unknown as Problem),
    );
}

const COMMANDS: readonly (readonly [metaTool: string, command: string])[] = [
  ["list_mcp_servers", "anygpt mcp list"],
  ["search_tools", "anygpt mcp search"],
];

/** Hints name the meta-tools, which a person does not have. */
export function inWordsOfTheCommandLine(hint: string): string {
  return COMMANDS.reduce((text, [metaTool, command]) => text.replaceAll(metaTool, `\`${command}\``), hint);
}

/** Why something could not be done and what to do about it, in one line. */
export function reasonOf({ message, hint }: Pick<DiscoveryError, "message" | "hint">): string {
  return inWordsOfTheCommandLine([message, hint].filter(Boolean).join(" "));
}

/** A defect is of use to whoever can mend it: the end of the log and the stack go to standard error. */
export function reportDefect({ code, cause }: DiscoveryError, context: Context): void {
  if (code !== "INTERNAL_ERROR") return;
  const stack = cause instanceof Error ? [cause.stack ?? cause.message] : [];
  const lines = [...context.logged(), ...stack];
  context.note(lines.map((text) => line(2, dim(text))));
}
