import type { Question } from "../../model/call.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import { sanitizeJson } from "../../util/terminal.js";

/** The maximum length of the confirmation message, in characters. Users do not read more in a dialog. */
const MAX_MESSAGE_LENGTH = 4000;
/**
 * Limits for the length of each string in the message, in characters. The first limit with which the message fits is
 * used.
 */
const LENGTHS = [MAX_MESSAGE_LENGTH, 2000, 1000, 500, 250, 120, 60];
const FIELD = "confirm";

/**
 * Returns the elicitation form (form mode) that asks the user to confirm a call. The form has one checkbox: every
 * client with forms can show it, and neither an accidental click on "accept" nor a client that accepts automatically
 * ticks it. Undefined for a call that is too large for a dialog: a user must not confirm what they cannot see.
 */
export function toElicitationForm(question: Question) {
  const message = toMessage(question);
  if (message === undefined) return undefined;
  const title = "Run it";
  const description = "Tick to let this call run once.";
  return {
    message,
    requestedSchema: {
      type: "object" as const,
      properties: { [FIELD]: { type: "boolean" as const, title, description } },
      required: [FIELD],
    },
  };
}

/**
 * Converts the client's response. Only a ticked checkbox is a confirmation. An unticked one counts as unanswered,
 * because clients also send false for a checkbox that the user did not touch.
 */
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

/**
 * Renders the arguments with every member, and with the start and end of long strings, so that no value is pushed out
 * of view by another.
 */
function toShown(given: JsonObject): string | undefined {
  for (const length of LENGTHS) {
    const shown = write(given, length, "");
    if (shown.length <= MAX_MESSAGE_LENGTH) return shown;
  }
  return undefined;
}

/** Like `JSON.stringify` with an indent of two spaces, but strings over `length` characters are shortened. */
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

/**
 * Shortens a string in the middle. The number of omitted characters is outside the quotes, so that no string can
 * imitate it.
 */
function shorten(text: string, length: number): string {
  if (text.length <= length) return quoted(text);
  const head = text.slice(0, length / 2).replace(/[\ud800-\udbff]$/, "");
  const tail = text.slice(-length / 2).replace(/^[\udc00-\udfff]/, "");
  return `${quoted(head)} … ${text.length - head.length - tail.length} characters … ${quoted(tail)}`;
}

/**
 * Returns a value as JSON without control and bidirectional characters, so that it can neither imitate nor hide a line
 * of the question.
 */
function quoted(value: unknown): string {
  return sanitizeJson(JSON.stringify(value));
}
