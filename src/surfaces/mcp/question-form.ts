import type { Question } from "../../model/call.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import { sanitizeJson } from "../../util/terminal.js";

/** More than that nobody reads in a dialogue. */
const MOST_SHOWN = 4000;
/** How much of each text is shown: as much as leaves room for all the others. */
const LENGTHS = [MOST_SHOWN, 2000, 1000, 500, 250, 120, 60];
const FIELD = "confirm";

/**
 * A question as an elicitation in form mode. One box to tick, because every client with forms can draw it, and because
 * pressing a button by mistake, or a client that accepts by itself, does not tick it. Undefined for a call that is too large
 * to be judged in a dialogue: nobody should agree to what they cannot see.
 */
export function toForm(question: Question) {
  const message = toMessage(question);
  if (message === undefined) return undefined;
  const title = "Run it";
  const description = "Tick to let this call run, once.";
  return {
    message,
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

function toMessage({ toolId, risk, riskOrigin, arguments: given }: Question): string | undefined {
  const shown = toShown(given);
  return shown && [`Run ${quoted(toolId)}?`, `Risk: ${risk} (${riskOrigin}).`, "Arguments:", shown].join("\n");
}

/** Every member, and of long texts both ends: nothing is pushed out of sight by what stands before it. */
function toShown(given: JsonObject): string | undefined {
  for (const length of LENGTHS) {
    const shown = write(given, length, "");
    if (shown.length <= MOST_SHOWN) return shown;
  }
  return undefined;
}

/** As `JSON.stringify` with two spaces, but for texts over `length`. */
function write(value: unknown, length: number, indent: string): string {
  if (typeof value === "string") return shorten(value, length);
  if (typeof value !== "object" || value === null) return quoted(value);
  const inner = `${indent}  `;
  const members = Array.isArray(value)
    ? value.map((item) => write(item, length, inner))
    : Object.entries(value).map(([name, item]) => `${shorten(name, length)}: ${write(item, length, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (members.length === 0) return `${open}${close}`;
  return `${open}\n${members.map((member) => `${inner}${member}`).join(",\n")}\n${indent}${close}`;
}

/** What is left out is told outside of the quotes, where no text can say so itself. */
function shorten(text: string, length: number): string {
  if (text.length <= length) return quoted(text);
  const head = text.slice(0, length / 2).replace(/[\ud800-\udbff]$/, "");
  const tail = text.slice(-length / 2).replace(/^[\udc00-\udfff]/, "");
  return `${quoted(head)} … ${text.length - head.length - tail.length} characters … ${quoted(tail)}`;
}

/** As JSON, in which nothing can pass for another line of the question, hide or reorder it. */
function quoted(value: unknown): string {
  return sanitizeJson(JSON.stringify(value));
}
