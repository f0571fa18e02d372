import type { CatalogAccess, Configured } from "../../gateway/stages.js";
import { toDiscoveryError } from "../../errors.js";
import { RESOURCE_TEMPLATE } from "../../metatools/prompts-and-resources/resource-names.js";
import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { MethodRequest } from "./method-request.js";
import { type DescribeStep, withHintText } from "../../model/next-steps.js";
import { revealHiddenJson } from "../../util/hidden-text.js";
import { CHANGING, withHint } from "./cache-hints.js";
import { FULL_GUIDE, GATEWAY_GUIDE, GUIDE } from "./guide.js";
import { toPage } from "./paging.js";
import { needText, resourceNotFound, toForward, toRelayedResult } from "./relayed.js";

const GUIDE_URI = "anygpt://guide";
const BUILT_IN_URI = /^anygpt:\/\/(?:guide$|(tools|results)\/([^/]+)\/([^/]+)$)/;

const RESOURCES = [
  {
    uri: GUIDE_URI,
    name: "guide",
    title: "How to use this gateway",
    description: "How to find, inspect and run tools through the gateway.",
    mimeType: "text/markdown",
  },
];

const RESOURCE_TEMPLATES = [
  {
    uriTemplate: "anygpt://tools/{server}/{tool}",
    name: "tool",
    description: "The complete definition of a tool, as its server sent it.",
    mimeType: "application/json",
  },
  {
    uriTemplate: "anygpt://results/{id}/{page}",
    name: "result",
    description: "A page of a tool result that was too large to return at once.",
    mimeType: "text/plain",
  },
];

const SHARED_TEMPLATE = {
  uriTemplate: RESOURCE_TEMPLATE,
  name: "resource",
  description: "A resource of a server, by its original URI.",
};

/**
 * The error for an unknown resource. It explains the prefix of URIs, because tool results contain the servers' original
 * URIs.
 */
export const NO_SUCH_RESOURCE =
  "No such resource. Read a resource of a server as anygpt://servers/SERVER/URI, with the URI that the server uses.";

/** Lists the gateway's own resources first, then those of the servers. */
export async function listResources({ params, promptsAndResources, era }: MethodRequest): Promise<JsonObject> {
  const ofServers = (await promptsAndResources.list("resources")).filter(({ uri }) => uri !== GUIDE_URI);
  const { items, ...next } = toPage([...RESOURCES, ...ofServers], "uri", { cursor: params["cursor"] });
  return withHint({ resources: items, ...next }, CHANGING, era);
}

export async function listTemplates({ params, promptsAndResources, era }: MethodRequest): Promise<JsonObject> {
  const builtIn =
    promptsAndResources.only === undefined ? [...RESOURCE_TEMPLATES, SHARED_TEMPLATE] : RESOURCE_TEMPLATES;
  const names = new Set<unknown>(builtIn.map(({ uriTemplate }) => uriTemplate));
  const ofServers = (await promptsAndResources.list("templates")).filter(({ uriTemplate }) => !names.has(uriTemplate));
  const { items, ...next } = toPage([...builtIn, ...ofServers], "uriTemplate", { cursor: params["cursor"] });
  return withHint({ resourceTemplates: items, ...next }, CHANGING, era);
}

export function isBuiltInTemplate(uriTemplate: string): boolean {
  return [...RESOURCE_TEMPLATES, SHARED_TEMPLATE].some((one) => one.uriTemplate === uriTemplate);
}

export function isBuiltInResource(uri: string): boolean {
  return BUILT_IN_URI.test(uri);
}

export async function readResource(incoming: MethodRequest): Promise<JsonObject> {
  const { params, promptsAndResources, era, context } = incoming;
  const uri = needText(params, "uri", "resources/read");
  if (isBuiltInResource(uri)) return { contents: [await readBuiltIn(uri, incoming)] };
  const resource = promptsAndResources.resource(uri);
  if (resource === undefined) throw resourceNotFound(uri, NO_SUCH_RESOURCE);
  const request = {
    method: "resources/read" as const,
    params: toForward(params, { uri: resource.uri }),
    peer: context.peer,
  };
  const answer = await promptsAndResources.request(resource.server, request, context.signal);
  const result = toRelayedResult(answer, era);
  if (!Array.isArray(result["contents"])) return result;
  // Replace the server's URIs: a client looks for the contents under the URI that it requested.
  const contents = result["contents"].map((content: unknown) => {
    if (!isJsonObject(content) || typeof content["uri"] !== "string") return content;
    const original = content["uri"];
    return {
      ...content,
      uri: original === resource.uri ? uri : promptsAndResources.nameOf({ ...resource, uri: original }),
    };
  });
  return { ...result, contents };
}

interface ResourceText {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

async function readBuiltIn(uri: string, { context: { actor }, stages }: MethodRequest): Promise<ResourceText> {
  const { discovery, storedResults, config, offered } = stages;
  if (uri === GUIDE_URI) return { uri, mimeType: "text/markdown", text: guideOf(config) };
  const [, kind, first, second] = BUILT_IN_URI.exec(uri) ?? [];
  if (kind === "tools") {
    const text = await readTool(uri, discovery, [first, second], offered.describeStep);
    return { uri, mimeType: "application/json", text };
  }
  const page = await storedResults.page(first ?? "", Number(second), actor.id).catch((error: unknown) => {
    throw resourceNotFound(uri, withHintText(toDiscoveryError(error), offered.describeStep));
  });
  if (page === undefined) throw resourceNotFound(uri, `The stored result ${first} has no page ${second}.`);
  return { uri, mimeType: "text/plain", text: page };
}

function guideOf({ mode, profile }: Configured["config"]): string {
  if (mode === "full") return FULL_GUIDE;
  return profile === "gateway" ? GATEWAY_GUIDE : GUIDE;
}

async function readTool(
  uri: string,
  discovery: CatalogAccess["discovery"],
  [server, tool]: (string | undefined)[],
  describe: DescribeStep,
): Promise<string> {
  try {
    const found = await discovery.tool(decodeURIComponent(server ?? ""), decodeURIComponent(tool ?? ""));
    return revealHiddenJson(JSON.stringify(found.definition, null, 2));
  } catch (error) {
    throw resourceNotFound(uri, withHintText(toDiscoveryError(error), describe));
  }
}
