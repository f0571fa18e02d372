import type { Question } from "../../model/call.js";
import { isJsonObject } from "../../model/json.js";
import { sanitizeJson } from "../../util/terminal.js";

/** More than that nobody reads in a dialogue; what is left out is counted. */
const MOST_SHOWN = 4000;
const FIELD = "confirm";

/**
 * A question as an elicitation in form mode. One box to tick, because every client with forms can draw it, and because
 * pressing a button by mistake, or a client that accepts by itself, does not tick it.
 */
export function toForm(question: Question) {
  const title = "Run it";
  const description = "Tick to let this call run, once.";
  return {
    message: toMessage(question),
    requestedSchema: {
      type: "object" as const,
      properties: { [FIELD]: { type: "boolean" as const, title, description } },
      required: [FIELD],
    },
  };
}

/** Only a clear yes is one. Clients send an untouched box as false: that is no refusal, the question stays open. */
export function toVerdict(answer: unknown): "accepted" | "declined" | "unanswered" {
  if (!isJsonObject(answer)) return "unanswered";
  const { action, content } = answer;
  if (action === "decline") return "declined";
  return action === "accept" && isJsonObject(content) && content[FIELD] === true ? "accepted" : "unanswered";
}

function toMessage({ toolId, risk, riskOrigin, arguments: given }: Question): string {
  return [`Run ${toShown(toolId)}?`, `Risk: ${risk} (${riskOrigin}).`, "Arguments:", cut(toShown(given))].join("\n");
}

/** As JSON, in which nothing can pass for another line of the question, hide or reorder it. */
function toShown(value: unknown): string {
  return sanitizeJson(JSON.stringify(value, undefined, 2));
}

function cut(text: string): string {
  if (text.length <= MOST_SHOWN) return text;
  const head = text.slice(0, MOST_SHOWN).replace(/[\ud800-\udbff]$/, "");
  return `${head}\n… ${text.length - head.length} more characters are not shown.`;
}
