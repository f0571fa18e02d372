import type { Question } from "../../model/call.js";
import { isJsonObject } from "../../model/json.js";
import { quoted } from "../../terminal/lines.js";
import { render } from "../../terminal/render.js";
import { revealedJson, revealedName } from "../../terminal/reveal.js";

/**
 * How much of a call a dialog shows. A call that does not fit is confirmed at a terminal instead: a user must not
 * confirm what they cannot see. `rows` counts the rows of the arguments, `columns` their width.
 */
const DIALOG = { rows: 40, characters: 4000, columns: 76 };
/** The limits for a call that must be shown without omissions. */
const COMPLETE_DIALOG = { rows: 100, characters: 8000, columns: 76 };
/**
 * Limits for the length of each string in the message, in characters. The first limit with which the message fits is
 * used.
 */
const LENGTHS = [2000, 1000, 500, 250, 120, 60, 30];
const FIELD = "confirm";

/** The member of `_meta` with the id of the approval. Servers cannot set members with the prefix `anygpt/`. */
export const APPROVAL_MEMBER = "anygpt/approval";

/**
 * Returns the elicitation form (form mode) that asks the user to confirm a call. The form has one checkbox: every
 * client with forms can show it, and neither an accidental click on "accept" nor a client that accepts automatically
 * ticks it. Undefined for a call that is too large for a dialog: a user must not confirm what they cannot see.
 *
 * A server cannot create such a question: the gateway begins each question of a server with a line that names the
 * server, and each line of the server's text with a bar.
 */
export function toElicitationForm(question: Question) {
  const message = toMessage(question);
  if (message === undefined) return undefined;
  const title = "Run it";
  const description = "Tick to let this call run once.";
  return {
    _meta: { [APPROVAL_MEMBER]: question.id },
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

function toMessage(question: Question): string | undefined {
  const { toolId, risk, riskOrigin, notice, arguments: given, meta } = question;
  const shown = toShown(meta === undefined ? [given] : [given, meta], question.isShownWhole === true);
  if (shown === undefined) return undefined;
  const [args, ownMeta] = shown;
  const count = Object.keys(given).length;
  return [
    `The gateway asks: run ${revealedName(toolId)}?`,
    `Risk: ${risk} (${riskOrigin}).`,
    ...(notice === undefined ? [] : [notice]),
    count === 0 ? "Arguments: none" : `Arguments (${count}):`,
    ...(count === 0 ? [] : [args]),
    ...(ownMeta === undefined ? [] : ["Also sent to the server, in _meta:", ownMeta]),
  ].join("\n");
}

/**
 * Renders the values with every member, and with the start and end of long strings, so that no value is pushed out of
 * view by another. Members that take one row come first.
 */
function toShown(values: readonly unknown[], isWhole: boolean): readonly string[] | undefined {
  const limits = isWhole ? COMPLETE_DIALOG : DIALOG;
  for (const length of isWhole ? [Infinity] : LENGTHS) {
    const shown = values.map((value) => renderValue(value, length, limits.columns));
    const size = shown.reduce((sum, text) => sum + text.length, 0);
    const rows = shown.reduce((sum, text) => sum + text.split("\n").length, 0);
    if (size <= limits.characters && rows <= limits.rows) return shown;
  }
  return undefined;
}

/** Each row starts with a bar, so that no value can imitate a line of the gateway, wherever the client breaks rows. */
function renderValue(value: unknown, length: number, columns: number): string {
  return render([quoted(0, write(value, length, ""))], { columns, color: false }).trimEnd();
}

/** Like `JSON.stringify` with an indent of two spaces, but strings over `length` characters are shortened. */
function write(value: unknown, length: number, indent: string): string {
  if (typeof value === "string") return shorten(value, length);
  if (typeof value !== "object" || value === null) return revealedJson(value);
  const inner = `${indent}  `;
  const members = Array.isArray(value)
    ? value.map((item) => write(item, length, inner))
    : shortFirst(
        Object.entries(value).map(([name, item]) => `${shorten(name, length)}: ${write(item, length, inner)}`),
        DIALOG.columns - inner.length,
      );
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (members.length === 0) return `${open}${close}`;
  const inOneRow = `${open}${members.join(", ")}${close}`;
  const isList = Array.isArray(value) && value.every((item) => typeof item !== "object" || item === null);
  if (isList && inOneRow.length <= DIALOG.columns - inner.length) return inOneRow;
  return `${open}\n${members.map((member) => `${inner}${member}`).join(",\n")}\n${indent}${close}`;
}

function shortFirst(members: readonly string[], width: number): string[] {
  const isShort = (member: string): boolean => member.length <= width && !member.includes("\n");
  return [...members.filter(isShort), ...members.filter((member) => !isShort(member))];
}

/**
 * Shortens a string in the middle. The number of omitted characters is outside the quotes, so that no string can
 * imitate it.
 */
function shorten(text: string, length: number): string {
  if (text.length <= length || text.replace(BLANKS, "").length <= length) return withoutBlanks(text);
  const head = text.slice(0, length / 2).replace(/[\ud800-\udbff]$/, "");
  const tail = text.slice(-length / 2).replace(/^[\udc00-\udfff]/, "");
  const omitted = text.length - head.length - tail.length;
  return `${withoutBlanks(head)} … ${omitted} characters … ${withoutBlanks(tail)}`;
}

const BLANKS = / {8,}/g;

/** Replaces long runs of spaces, which push the rest of a text out of view. */
function withoutBlanks(text: string): string {
  const parts = text.split(/( {8,})/);
  return parts.map((part, index) => (index % 2 === 1 ? ` … ${part.length} spaces … ` : revealedJson(part))).join("");
}
