import type { MetaTool } from "./meta-tool.js";

/** The same meta-tool, whose answer also tells what an agent's person should know; an answer that has a note keeps it. */
export function withNotes(metaTool: MetaTool, notes: () => readonly string[]): MetaTool {
  return {
    ...metaTool,
    async run(input, context) {
      const answer = await metaTool.run(input, context);
      const told = notes();
      if (answer.kind !== "data" || told.length === 0) return answer;
      const own = typeof answer.data["note"] === "string" ? [answer.data["note"]] : [];
      return { ...answer, data: { ...answer.data, note: [...own, ...told].join(" ") } };
    },
  };
}
