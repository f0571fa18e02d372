import type { Stages } from "../../compose.js";
import { toDiscoveryError } from "../../errors.js";
import { RESOURCE_TEMPLATE } from "../../metatools/offerings/resource-names.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { Asked } from "./asked.js";
import { CHANGING, withHint } from "./cache-hints.js";
import { FULL_GUIDE, GATEWAY_GUIDE, GUIDE } from "./guide.js";
import { toPage } from "./paging.js";
import { needText, resourceNotFound, toForward, toResult } from "./relayed.js";

const GUIDE_URI = "anygpt://guide";
const OWN = /^anygpt:\/\/(?:guide$|(tools|results)\/([^/]+)\/([^/]+)$)/;

const RESOURCES = [
  {
    uri: GUIDE_URI,
    name: "guide",
    title: "How to use this gateway",
    description: "How to find, read and run tools through the gateway.",
    mimeType: "text/markdown",
  },
];

const RESOURCE_TEMPLATES = [
  {
    uriTemplate: "anygpt://tools/{server}/{tool}",
    name: "tool",
    description: "The full definition of a tool, as its server gives it.",
    mimeType: "application/json",
  },
  {
    uriTemplate: "anygpt://results/{id}/{page}",
    name: "result",
    description: "A page of a result that was too large for an answer.",
    mimeType: "text/plain",
  },
];

const SHARED_TEMPLATE = {
  uriTemplate: RESOURCE_TEMPLATE,
  name: "resource",
  description: "A resource of a server, by the address that the server gives it.",
};

/** Tools of servers answer with addresses as the servers know them. */
export const NO_SUCH_RESOURCE =
  "No such resource. A resource of a server is read as anygpt://servers/SERVER/ADDRESS, with the address that the server gives it.";

/** Ours first, then those of the servers. */
export async function listResources({ params, offerings, era }: Asked): Promise<JsonObject> {
  const theirs = (await offerings.list("resources")).filter(({ uri }) => uri !== GUIDE_URI);
  const { items, ...next } = toPage([...RESOURCES, ...theirs], "uri", { cursor: params["cursor"] });
  return withHint({ resources: items, ...next }, CHANGING, era);
}

export async function listTemplates({ params, offerings, era }: Asked): Promise<JsonObject> {
  const ours = offerings.only === undefined ? [...RESOURCE_TEMPLATES, SHARED_TEMPLATE] : RESOURCE_TEMPLATES;
  const names = new Set<unknown>(ours.map(({ uriTemplate }) => uriTemplate));
  const theirs = (await offerings.list("templates")).filter(({ uriTemplate }) => !names.has(uriTemplate));
  const { items, ...next } = toPage([...ours, ...theirs], "uriTemplate", { cursor: params["cursor"] });
  return withHint({ resourceTemplates: items, ...next }, CHANGING, era);
}

export function isOwnTemplate(uriTemplate: string): boolean {
  return [...RESOURCE_TEMPLATES, SHARED_TEMPLATE].some((one) => one.uriTemplate === uriTemplate);
}

export function isOwn(uri: string): boolean {
  return OWN.test(uri);
}

export async function readResource(asked: Asked): Promise<JsonObject> {
  const { params, offerings, era, signal, peer } = asked;
  const uri = needText(params, "uri", "resources/read");
  if (isOwn(uri)) return { contents: [await readOwn(uri, asked)] };
  const resource = offerings.resource(uri);
  if (resource === undefined) throw resourceNotFound(uri, NO_SUCH_RESOURCE);
  const request = { method: "resources/read", params: toForward(params, { uri: resource.uri }), ...(peer && { peer }) };
  const answer = await offerings.ask(resource.server, request, signal);
  const result = toResult(answer, era);
  if (!Array.isArray(result["contents"])) return result;
  // A client finds what it asked for by the address that it asked for.
  const contents = result["contents"].map((content: unknown) => {
    if (!isJsonObject(content) || typeof content["uri"] !== "string") return content;
    const theirs = content["uri"];
    return { ...content, uri: theirs === resource.uri ? uri : offerings.nameOf({ ...resource, uri: theirs }) };
  });
  return { ...result, contents };
}

interface ResourceText {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

async function readOwn(uri: string, { actor, stages }: Asked): Promise<ResourceText> {
  const { discovery, kept, config } = stages;
  if (uri === GUIDE_URI) return { uri, mimeType: "text/markdown", text: guideOf(config) };
  const [, kind, first, second] = OWN.exec(uri) ?? [];
  if (kind === "tools")
    return { uri, mimeType: "application/json", text: await readTool(uri, discovery, [first, second]) };
  const page = first === undefined ? undefined : kept.page(first, Number(second), actor.id);
  if (page === undefined) throw resourceNotFound(uri, "The result is not kept any more.");
  return { uri, mimeType: "text/plain", text: page };
}

function guideOf({ mode, profile }: Stages["config"]): string {
  if (mode === "full") return FULL_GUIDE;
  return profile === "gateway" ? GATEWAY_GUIDE : GUIDE;
}

async function readTool(
  uri: string,
  discovery: Stages["discovery"],
  [server, tool]: (string | undefined)[],
): Promise<string> {
  try {
    const found = await discovery.tool(decodeURIComponent(server ?? ""), decodeURIComponent(tool ?? ""));
    return JSON.stringify(found.definition, null, 2);
  } catch (error) {
    const { message, hint } = toDiscoveryError(error);
    throw resourceNotFound(uri, [message, hint].filter(Boolean).join(" "));
  }
}
