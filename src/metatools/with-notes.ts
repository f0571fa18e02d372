import type { MetaTool } from "./meta-tool.js";

/**
 * Adds notices for the user to the `note` in the results of a meta-tool. If a result already has a note, the notices
 * follow it.
 */
export function withNotes(metaTool: MetaTool, notes: () => readonly string[]): MetaTool {
  return {
    ...metaTool,
    async run(input, context) {
      const answer = await metaTool.run(input, context);
      const added = notes();
      if (answer.kind !== "data" || added.length === 0) return answer;
      const existing = typeof answer.data["note"] === "string" ? [answer.data["note"]] : [];
      return { ...answer, data: { ...answer.data, note: [...existing, ...added].join(" ") } };
    },
  };
}
