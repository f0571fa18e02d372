import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Stages } from "../../compose.js";
import { toDiscoveryError } from "../../errors.js";
import { FULL_GUIDE, GATEWAY_GUIDE, GUIDE } from "./guide.js";

const GUIDE_URI = "anygpt://guide";

export const RESOURCES = [
  {
    uri: GUIDE_URI,
    name: "guide",
    title: "How to use this gateway",
    description: "How to find, read and run tools through the gateway.",
    mimeType: "text/markdown",
  },
];

export const RESOURCE_TEMPLATES = [
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

interface ResourceText {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

export async function readResource(uri: string, { discovery, kept, config }: Stages): Promise<ResourceText> {
  if (uri === GUIDE_URI) return { uri, mimeType: "text/markdown", text: guideOf(config) };
  const [, kind, first, second] = /^anygpt:\/\/(tools|results)\/([^/]+)\/([^/]+)$/.exec(uri) ?? [];
  if (kind === "tools")
    return { uri, mimeType: "application/json", text: await readTool(uri, discovery, [first, second]) };
  const page = kind === "results" && first !== undefined ? kept.page(first, Number(second)) : undefined;
  if (page === undefined)
    throw notFound(uri, kind === "results" ? "The result is not kept any more." : "No such resource.");
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
    throw notFound(uri, [message, hint].filter(Boolean).join(" "));
  }
}

function notFound(uri: string, message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.ResourceNotFound, message, { uri });
}
