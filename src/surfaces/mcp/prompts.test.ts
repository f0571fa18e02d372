import { expect, it } from "vitest";
import type { Stages } from "../../gateway/stages.js";
import type { PromptsAndResources } from "../../metatools/prompts-and-resources/prompts-and-resources.js";
import { describeDiscoveryStep } from "../../metatools/next-steps.js";
import { localActor } from "../../model/actor.js";
import type { JsonObject } from "../../model/json.js";
import type { UpstreamAnswer } from "../../upstreams/types.js";
import type { MethodRequest } from "./method-request.js";
import { completeArgument } from "./completion.js";
import type { BuiltInPrompt } from "../../built-in/prompts.js";
import { getPrompt, listPrompts } from "./prompts.js";

const OWN: BuiltInPrompt = {
  name: "discover",
  title: "Discover",
  description: "Finds what there is.",
  arguments: [{ name: "what", description: "What to find.", required: true }],
  get: ({ what }) => ({ messages: [{ role: "user", content: { type: "text", text: `Find ${what}` } }] }),
};

interface Scene {
  readonly params?: JsonObject;
  readonly era?: MethodRequest["era"];
  readonly answer?: UpstreamAnswer;
  readonly listed?: readonly JsonObject[];
}

function asking({ params = {}, era = "legacy", answer, listed = [] }: Scene) {
  const sent: unknown[] = [];
  const promptsAndResources = {
    list: () => Promise.resolve(listed),
    prompt: (name: string) =>
      Promise.resolve(name.startsWith("s__") ? { server: "s", name: name.slice(3) } : undefined),
    resource: (uri: string) => (uri.startsWith("shared ") ? { server: "s", uri: uri.slice(7) } : undefined),
    request: (server: string, request: object) => {
      sent.push([server, request]);
      return Promise.resolve(answer ?? { kind: "result", result: { messages: [] } });
    },
  } as Partial<PromptsAndResources> as PromptsAndResources;
  const context = { actor: localActor("mcp") };
  const asked: MethodRequest = {
    context,
    params,
    era,
    promptsAndResources,
    builtInPrompts: [OWN],
    stages: { offered: { describeStep: describeDiscoveryStep } } as Stages,
  };
  return { asked, sent };
}

it("lists built-in prompts first, and no server can use their names", async () => {
  const { asked } = asking({ listed: [{ name: "discover", fake: true }, { name: "s__greet" }] });
  expect(await listPrompts(asked)).toEqual({
    prompts: [
      { name: "discover", title: "Discover", description: "Finds what there is.", arguments: OWN.arguments },
      { name: "s__greet" },
    ],
  });
});

it("lists say how long they stay true in the revision that knows it", async () => {
  expect(await listPrompts(asking({ era: "modern" }).asked)).toMatchObject({ ttlMs: 1000, cacheScope: "private" });
  expect(await listPrompts(asking({}).asked)).not.toHaveProperty("ttlMs");
});

it("ours are answered here", async () => {
  const { asked, sent } = asking({ params: { name: "discover", arguments: { what: "maps", more: 1 } } });
  expect(await getPrompt(asked)).toEqual({
    description: "Finds what there is.",
    messages: [{ role: "user", content: { type: "text", text: "Find maps" } }],
  });
  expect(sent).toEqual([]);
  await expect(getPrompt(asking({ params: { name: "discover" } }).asked)).rejects.toThrow(
    "needs a string as argument what",
  );
});

it("those of servers go there with everything but the caller's progress token", async () => {
  const params = { name: "s__greet", arguments: { a: "b" }, _meta: { progressToken: 1, trace: "x" }, more: true };
  const { asked, sent } = asking({ params });
  await getPrompt(asked);
  const forwarded = { name: "greet", arguments: { a: "b" }, _meta: { trace: "x" }, more: true };
  expect(sent).toEqual([["s", { method: "prompts/get", params: forwarded }]]);
  const bare = asking({ params: { name: "s__greet", _meta: { progressToken: 1 } } });
  await getPrompt(bare.asked);
  expect(bare.sent).toEqual([["s", { method: "prompts/get", params: { name: "greet" } }]]);
});

it("what belongs to one revision does not reach a client of another", async () => {
  const result = { messages: [], resultType: "complete", ttlMs: 5, cacheScope: "public", own: 1 };
  const scene = { params: { name: "s__greet" }, answer: { kind: "result", result } } as const;
  expect(await getPrompt(asking(scene).asked)).toEqual({ messages: [], own: 1 });
  const modern = await getPrompt(asking({ ...scene, era: "modern" }).asked);
  expect(modern).toEqual({ messages: [], ttlMs: 5, cacheScope: "public", own: 1 });
});

it.each([[{}], [{ name: 1 }], [{ name: "nobody__greet" }]])("rejects %j", async (params) => {
  await expect(getPrompt(asking({ params }).asked)).rejects.toMatchObject({ code: -32_602 });
});

it.each<[string, JsonObject, unknown]>([
  ["a prompt", { type: "ref/prompt", name: "s__greet" }, { type: "ref/prompt", name: "greet" }],
  ["a template", { type: "ref/resource", uri: "shared x:{id}" }, { type: "ref/resource", uri: "x:{id}" }],
])("completion of %s is its server's", async (_, ref, theirs) => {
  const argument = { name: "id", value: "1" };
  const answer = { kind: "result", result: { completion: { values: ["12"] } } } as const;
  const { asked, sent } = asking({ params: { ref, argument }, answer });
  expect(await completeArgument(asked)).toEqual({ completion: { values: ["12"] } });
  expect(sent).toEqual([["s", { method: "completion/complete", params: { ref: theirs, argument } }]]);
});

it.each<[string, JsonObject, UpstreamAnswer | undefined]>([
  ["our own prompt", { type: "ref/prompt", name: "discover" }, undefined],
  ["our own template", { type: "ref/resource", uri: "anygpt://tools/{server}/{tool}" }, undefined],
  [
    "a server that completes nothing",
    { type: "ref/prompt", name: "s__greet" },
    { kind: "error", code: -32_601, message: "" },
  ],
])("completion of %s is empty", async (_, ref, answer) => {
  const { asked } = asking({ params: { ref }, ...(answer && { answer }) });
  expect(await completeArgument(asked)).toEqual({ completion: { values: [], total: 0, hasMore: false } });
});

it.each<[unknown]>([
  [undefined],
  [{ type: "ref/else" }],
  [{ type: "ref/prompt", name: "nobody" }],
  [{ type: "ref/resource", uri: "nobody" }],
  [{ type: "ref/resource" }],
])("rejects the completion of %j", async (ref) => {
  await expect(completeArgument(asking({ params: { ref } }).asked)).rejects.toMatchObject({ code: -32_602 });
});
