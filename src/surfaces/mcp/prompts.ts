import { isJsonObject, type JsonObject } from "../../model/json.js";
import type { Asked } from "./asked.js";
import { CHANGING, withHint } from "./cache-hints.js";
import type { OwnPrompt } from "./own-prompts.js";
import { toPage } from "./paging.js";
import { invalid, needText, toForward, toResult } from "./relayed.js";

/** Ours first. A server that claims the name of one of ours is not heard. */
export async function listPrompts({ params, offerings, era, ownPrompts }: Asked): Promise<JsonObject> {
  const names = new Set(ownPrompts.map(({ name }) => name));
  const theirs = (await offerings.list("prompts")).filter(({ name }) => !names.has(String(name)));
  const { items, ...next } = toPage([...ownPrompts.map(toListed), ...theirs], "name", { cursor: params["cursor"] });
  return withHint({ prompts: items, ...next }, CHANGING, era);
}

function toListed({ name, title, description, arguments: args }: OwnPrompt): JsonObject {
  return { name, title, description, ...(args.length > 0 ? { arguments: args } : {}) };
}

export async function getPrompt({ params, offerings, era, signal, peer, ownPrompts }: Asked): Promise<JsonObject> {
  const name = needText(params, "name", "prompts/get");
  const own = ownPrompts.find((one) => one.name === name);
  if (own !== undefined) return { description: own.description, ...own.get(toTexts(own, params["arguments"])) };
  const prompt = await offerings.prompt(name);
  if (prompt === undefined) throw invalid(`No prompt is named "${name}". prompts/list names those that there are.`);
  const request = { method: "prompts/get", params: toForward(params, { name: prompt.name }), ...(peer && { peer }) };
  return toResult(await offerings.ask(prompt.server, request, signal), era);
}

function toTexts(prompt: OwnPrompt, given: unknown): Record<string, string> {
  const args = Object.entries(isJsonObject(given) ? given : {});
  const texts = Object.fromEntries(args.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  const missing = prompt.arguments.find(({ name, required }) => required === true && texts[name] === undefined);
  if (missing !== undefined) throw invalid(`The prompt ${prompt.name} needs the argument ${missing.name}, a text.`);
  return texts;
}
