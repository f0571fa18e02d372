import type { MetaTool } from "./meta-tool.js";

/** Adds notices for the user to the `note` of a meta-tool's answers. A note that the answer already has stays in front. */
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
