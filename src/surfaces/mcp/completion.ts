import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { MethodRequest } from "./method-request.js";
import { invalid, needText, toForward, toRelayedResult } from "./relayed.js";
import { isBuiltInTemplate } from "./resources.js";

const METHOD = "completion/complete";
const METHOD_NOT_FOUND = -32_601;
const NO_COMPLETIONS = { completion: { values: [], total: 0, hasMore: false } };

/**
 * Forwards completion/complete to the server of the prompt or template. The gateway's own prompts and templates have no
 * completions.
 */
export async function completeArgument(incoming: MethodRequest): Promise<JsonObject> {
  const { params, promptsAndResources, era, context } = incoming;
  const { ref } = params;
  if (!isJsonObject(ref)) throw invalid(`${METHOD} needs an object in "ref".`);
  const found = await findReference(ref, incoming);
  if (found === "built-in") return NO_COMPLETIONS;
  const request = toForward(params, { ref: { ...ref, ...found.ref } });
  const answer = await promptsAndResources.request(found.server, { method: METHOD, params: request }, context.signal);
  // The server does not support completion. That is not an error, because the gateway declares the capability for all
  // servers.
  if (answer.kind === "error" && answer.code === METHOD_NOT_FOUND) return NO_COMPLETIONS;
  return toRelayedResult(answer, era);
}

interface Reference {
  readonly server: string;
  readonly ref: JsonObject;
}

async function findReference(
  ref: JsonObject,
  { promptsAndResources, builtInPrompts }: MethodRequest,
): Promise<Reference | "built-in"> {
  if (ref["type"] === "ref/prompt") {
    const name = needText(ref, "name", METHOD);
    if (builtInPrompts.some((one) => one.name === name)) return "built-in";
    const prompt = await promptsAndResources.prompt(name);
    if (prompt === undefined) throw invalid(`No prompt is named "${name}".`);
    return { server: prompt.server, ref: { name: prompt.name } };
  }
  if (ref["type"] !== "ref/resource") throw invalid(`${METHOD} needs a "ref" of type ref/prompt or ref/resource.`);
  const uri = needText(ref, "uri", METHOD);
  if (isBuiltInTemplate(uri)) return "built-in";
  const resource = promptsAndResources.resource(uri);
  if (resource === undefined) throw invalid(`No resource template is named "${uri}".`);
  return { server: resource.server, ref: { uri: resource.uri } };
}
