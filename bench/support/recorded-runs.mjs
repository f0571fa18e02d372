import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tokensOf } from "./tokens.mjs";
import { usedSpecifics, usedValues } from "./used-values.mjs";

/**
 * @typedef {object} RecordedResult a large result of a recorded agent run
 * @property {number} run
 * @property {string} server
 * @property {object} result as a tool returns it
 * @property {string} text
 * @property {number} tokens
 * @property {string[]} used the values that the run uses later
 * @property {string[]} specifics the links, identifiers and numbers that the run uses later
 */

/** @returns {RecordedResult[] | undefined} undefined if there are no recorded runs */
export function readRecordedResults(dataFolder, minTokens) {
  const file = join(dataFolder ?? "", "replay", "runs.jsonl");
  if (dataFolder === undefined || !existsSync(file)) return undefined;
  const runs = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return runs.flatMap((run) =>
    run.steps.flatMap((step, at) => {
      const result = toResult(step);
      const text = textOf(result);
      const tokens = tokensOf(text);
      if (tokens <= minTokens) return [];
      const [used, specifics] = [usedValues(run, at, text), usedSpecifics(run, at, text)];
      return [{ run: run.run, server: step.server, result, text, tokens, used, specifics }];
    }),
  );
}

function toResult({ result }) {
  if (typeof result === "string") return { content: [{ type: "text", text: result }] };
  return Array.isArray(result?.content) ? result : { content: [{ type: "text", text: JSON.stringify(result) }] };
}

export function textOf({ content }) {
  return content.flatMap((item) => (typeof item.text === "string" ? [item.text] : [])).join("\n");
}
