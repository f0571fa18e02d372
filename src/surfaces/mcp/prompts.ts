import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { MethodRequest } from "./method-request.js";
import { CHANGING, withHint } from "./cache-hints.js";
import type { BuiltInPrompt } from "../../built-in/prompts.js";
import { toPage } from "./paging.js";
import { invalid, needText, toForward, toRelayedResult } from "./relayed.js";

/** Lists the gateway's own prompts first. A server's prompt with the same name is hidden. */
export async function listPrompts({
  params,
  promptsAndResources,
  era,
  builtInPrompts,
}: MethodRequest): Promise<JsonObject> {
  const names = new Set(builtInPrompts.map(({ name }) => name));
  const ofServers = (await promptsAndResources.list("prompts")).filter(({ name }) => !names.has(String(name)));
  const { items, ...next } = toPage([...builtInPrompts.map(toListed), ...ofServers], "name", {
    cursor: params["cursor"],
  });
  return withHint({ prompts: items, ...next }, CHANGING, era);
}

function toListed({ name, title, description, arguments: args }: BuiltInPrompt): JsonObject {
  return { name, title, description, ...(args.length > 0 ? { arguments: args } : {}) };
}

export async function getPrompt({
  params,
  promptsAndResources,
  era,
  context,
  builtInPrompts,
  stages,
}: MethodRequest): Promise<JsonObject> {
  const name = needText(params, "name", "prompts/get");
  const builtIn = builtInPrompts.find((one) => one.name === name);
  if (builtIn !== undefined) {
    const { describeStep } = stages.offered;
    return { description: builtIn.description, ...builtIn.get(toTexts(builtIn, params["arguments"]), describeStep) };
  }
  const prompt = await promptsAndResources.prompt(name);
  if (prompt === undefined) throw invalid(`No prompt is named "${name}". Call prompts/list to see all prompts.`);
  const request = {
    method: "prompts/get" as const,
    params: toForward(params, { name: prompt.name }),
    peer: context.peer,
  };
  return toRelayedResult(await promptsAndResources.request(prompt.server, request, context.signal), era);
}

function toTexts(prompt: BuiltInPrompt, given: unknown): Record<string, string> {
  const args = Object.entries(isJsonObject(given) ? given : {});
  const texts = Object.fromEntries(args.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  const missing = prompt.arguments.find(({ name, required }) => required === true && texts[name] === undefined);
  if (missing !== undefined)
    throw invalid(`The prompt ${prompt.name} needs a string in the argument "${missing.name}".`);
  return texts;
}
