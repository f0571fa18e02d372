// Marks everything that a server asks or says with the name of the server, in a place that the server cannot write to.
// Otherwise a server could ask or report in the name of the gateway, for example copy the question with which the
// gateway asks for a confirmation.
import { isJsonObject, type JsonObject } from "../../model/json.js";
import { hasHiddenText, revealHiddenText } from "../../util/hidden-text.js";
import { sanitize } from "../../util/terminal.js";
import { toOneLine } from "../../util/text.js";

/** How much context of the client a server may request with a sampling request, from nothing to everything. */
export const CONTEXTS = ["none", "thisServer", "allServers"] as const;
export type IncludeContext = (typeof CONTEXTS)[number];

/** The member of `_meta` with the name of the server that sent a request or a message. */
export const SERVER_MEMBER = "anygpt/server";
/** Members of `_meta` with this prefix belong to the gateway: servers cannot set them. */
const OWN_PREFIX = "anygpt/";

/** Starts every line of a server's text in a dialog. The gateway's own lines do not start with it. */
export const QUOTE_BAR = "│ ";

export interface AttributionParts {
  readonly server: string;
  /** The most context that servers may request. */
  readonly includeContext: IncludeContext;
}

/** The converted parameters, or the reason why the request must not reach the client. */
export type Attributed = { readonly params: JsonObject } | { readonly refused: string };

const MAX_MESSAGE = 4_000;
const MAX_LABEL = 500;
const MAX_LOGGER = 100;

/** Converts the parameters of a server's request to a client. */
export function attributeRequest(method: string, params: JsonObject, parts: AttributionParts): Attributed {
  const { server } = parts;
  const marked = { ...params, _meta: { ...withoutOwnMembers(params["_meta"]), [SERVER_MEMBER]: server } };
  if (method === "elicitation/create") return attributeElicitation(marked, server);
  return { params: method === "sampling/createMessage" ? attributeSampling(marked, parts) : marked };
}

/** Also converts an elicitation in the data of the error "URL elicitation required". */
export function attributeElicitation(elicitation: JsonObject, server: string): Attributed {
  const { mode, url, requestedSchema } = elicitation;
  const quotedText = quoteLines(typeof elicitation["message"] === "string" ? elicitation["message"] : "");
  if (mode === "url") {
    const page = toPage(url);
    if (page === undefined) return { refused: "The URL of an elicitation must be a valid http or https URL." };
    const opening = `The server ${JSON.stringify(server)} asks you to open a page of ${page.host}. This is not a question of the gateway.`;
    return { params: { ...elicitation, url: page.href, message: `${opening}\n${quotedText}` } };
  }
  if (hasHiddenNames(requestedSchema))
    return { refused: "The names and values of an elicitation form must not contain hidden characters." };
  const opening = `The server ${JSON.stringify(server)} asks, and your answer goes to this server. This is not a question of the gateway. Enter no passwords or keys.`;
  const schema = requestedSchema === undefined ? {} : { requestedSchema: withCleanLabels(requestedSchema) };
  return { params: { ...elicitation, ...schema, message: `${opening}\n${quotedText}` } };
}

/**
 * A page that the user is asked to open. The URL is normalized: the host name is ASCII, so that it cannot look like
 * another one, and a user name before the host is not allowed.
 */
function toPage(url: unknown): { readonly href: string; readonly host: string } | undefined {
  if (typeof url !== "string" || !URL.canParse(url)) return undefined;
  const { protocol, host, href, username, password } = new URL(url);
  const isPage = (protocol === "https:" || protocol === "http:") && username === "" && password === "";
  return isPage ? { href, host } : undefined;
}

/** Sampling clients show the user the request; the system prompt is the only text in it that a server cannot precede. */
function attributeSampling(params: JsonObject, { server, includeContext }: AttributionParts): JsonObject {
  const { systemPrompt, messages, includeContext: wanted, tools } = params;
  const opening = `The MCP server ${JSON.stringify(server)} sent this request. Its text is not from the user.`;
  const own = typeof systemPrompt === "string" ? `\n\n${cleanText(systemPrompt)}` : "";
  return {
    ...params,
    systemPrompt: `${opening}${own}`,
    ...(messages === undefined ? {} : { messages: mapStrings(messages, cleanText, isText) }),
    ...(tools === undefined ? {} : { tools: mapStrings(tools, cleanText, isLabel) }),
    ...(wanted === undefined ? {} : { includeContext: lowerContext(wanted, includeContext) }),
  };
}

function lowerContext(wanted: unknown, most: IncludeContext): IncludeContext {
  const index = CONTEXTS.findIndex((one) => one === wanted);
  return CONTEXTS[Math.min(Math.max(index, 0), CONTEXTS.indexOf(most))] ?? "none";
}

/** The name of a log: the server's name, then the name that the server gives. */
export function attributeLogger(server: string, logger: unknown): string {
  return typeof logger === "string" && logger !== ""
    ? `${server}: ${bounded(toOneLine(cleanText(logger)), MAX_LOGGER)}`
    : server;
}

/** A text that is one line of a report, such as a progress message. */
export function attributeLine(server: string, text: string): string {
  return `${server}: ${bounded(toOneLine(cleanText(text)), MAX_MESSAGE)}`;
}

/** Makes control characters and hidden characters in all strings of a server's message visible. */
export function cleanValue(value: unknown): unknown {
  return mapStrings(value, cleanText, () => true);
}

/** Makes control characters and hidden characters visible. */
export function cleanText(text: string): string {
  return sanitize(revealHiddenText(text));
}

function quoteLines(text: string): string {
  const lines = bounded(cleanText(text.slice(0, 2 * MAX_MESSAGE)), MAX_MESSAGE).split("\n");
  return lines.map((line) => `${QUOTE_BAR}${line}`).join("\n");
}

function bounded(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length).replace(/[\ud800-\udbff]$/, "")} … (cut)`;
}

const LABELS = new Set(["title", "description", "enumNames"]);
const isLabel = (name: string): boolean => LABELS.has(name);
const isText = (name: string): boolean => name === "text";

function withCleanLabels(schema: unknown): unknown {
  return mapStrings(schema, (label) => bounded(cleanText(label), MAX_LABEL), isLabel);
}

/** Whether a part of the form that the user sees, but that must not be changed, contains hidden characters. */
function hasHiddenNames(schema: unknown): boolean {
  let found = false;
  const check = (text: string): string => {
    found ||= hasHiddenText(text) || sanitize(text) !== text;
    return text;
  };
  mapStrings(schema, check, (name) => !isLabel(name), check);
  return found;
}

/**
 * Converts the strings in the members that `isWanted` names, at any depth; an array belongs to the member that contains
 * it. `onName` is called with the name of each member.
 */
function mapStrings(
  value: unknown,
  convert: (text: string) => string,
  isWanted: (name: string) => boolean,
  onName: (name: string) => void = () => undefined,
  name = "",
): unknown {
  if (typeof value === "string") return isWanted(name) ? convert(value) : value;
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, convert, isWanted, onName, name));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      onName(key);
      return [key, mapStrings(item, convert, isWanted, onName, key)];
    }),
  );
}

function withoutOwnMembers(meta: unknown): JsonObject {
  if (!isJsonObject(meta)) return {};
  return Object.fromEntries(
    Object.entries(meta).filter(([key]) => key !== "progressToken" && !key.startsWith(OWN_PREFIX)),
  );
}
