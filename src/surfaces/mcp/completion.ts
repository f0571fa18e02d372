import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { Asked } from "./asked.js";
import { invalid, needText, toForward, toResult } from "./relayed.js";
import { isOwnTemplate } from "./resources.js";

const METHOD = "completion/complete";
const METHOD_NOT_FOUND = -32_601;
const NOTHING = { completion: { values: [], total: 0, hasMore: false } };

/** What a value could be, as the server of the prompt or template says it. Ours have nothing to choose from. */
export async function complete(asked: Asked): Promise<JsonObject> {
  const { params, offerings, era, signal } = asked;
  const { ref } = params;
  if (!isJsonObject(ref)) throw invalid(`${METHOD} needs ref, an object.`);
  const found = await findReference(ref, asked);
  if (found === "own") return NOTHING;
  const request = toForward(params, { ref: { ...ref, ...found.ref } });
  const answer = await offerings.ask(found.server, { method: METHOD, params: request }, signal);
  // We say that we complete, whoever stands behind us.
  if (answer.kind === "error" && answer.code === METHOD_NOT_FOUND) return NOTHING;
  return toResult(answer, era);
}

interface Reference {
  readonly server: string;
  readonly ref: JsonObject;
}

async function findReference(ref: JsonObject, { offerings, ownPrompts }: Asked): Promise<Reference | "own"> {
  if (ref["type"] === "ref/prompt") {
    const name = needText(ref, "name", METHOD);
    if (ownPrompts.some((one) => one.name === name)) return "own";
    const prompt = await offerings.prompt(name);
    if (prompt === undefined) throw invalid(`No prompt is named "${name}".`);
    return { server: prompt.server, ref: { name: prompt.name } };
  }
  if (ref["type"] !== "ref/resource") throw invalid(`${METHOD} needs a ref of type ref/prompt or ref/resource.`);
  const uri = needText(ref, "uri", METHOD);
  if (isOwnTemplate(uri)) return "own";
  const resource = offerings.resource(uri);
  if (resource === undefined) throw invalid(`No resource template is named "${uri}".`);
  return { server: resource.server, ref: { uri: resource.uri } };
}
