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

const BUILT_IN: BuiltInPrompt = {
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

function open({ params = {}, era = "legacy", answer, listed = [] }: Scene) {
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
  const incoming: MethodRequest = {
    context,
    params,
    era,
    promptsAndResources,
    builtInPrompts: [BUILT_IN],
    stages: { offered: { describeStep: describeDiscoveryStep } } as Stages,
  };
  return { incoming, sent };
}

it("lists built-in prompts first, and hides prompts of servers with their names", async () => {
  const { incoming } = open({ listed: [{ name: "discover", fake: true }, { name: "s__greet" }] });
  expect(await listPrompts(incoming)).toEqual({
    prompts: [
      { name: "discover", title: "Discover", description: "Finds what there is.", arguments: BUILT_IN.arguments },
      { name: "s__greet" },
    ],
  });
});

it("adds cache hints to lists for modern clients only", async () => {
  expect(await listPrompts(open({ era: "modern" }).incoming)).toMatchObject({ ttlMs: 1000, cacheScope: "private" });
  expect(await listPrompts(open({}).incoming)).not.toHaveProperty("ttlMs");
});

it("answers built-in prompts without a server", async () => {
  const { incoming, sent } = open({ params: { name: "discover", arguments: { what: "maps", more: 1 } } });
  expect(await getPrompt(incoming)).toEqual({
    description: "Finds what there is.",
    messages: [{ role: "user", content: { type: "text", text: "Find maps" } }],
  });
  expect(sent).toEqual([]);
  await expect(getPrompt(open({ params: { name: "discover" } }).incoming)).rejects.toThrow(
    'needs a string in the argument "what"',
  );
});

it("forwards prompts/get to the server without the client's progress token", async () => {
  const params = { name: "s__greet", arguments: { a: "b" }, _meta: { progressToken: 1, trace: "x" }, more: true };
  const { incoming, sent } = open({ params });
  await getPrompt(incoming);
  const forwarded = { name: "greet", arguments: { a: "b" }, _meta: { trace: "x" }, more: true };
  expect(sent).toEqual([["s", { method: "prompts/get", params: forwarded }]]);
  const bare = open({ params: { name: "s__greet", _meta: { progressToken: 1 } } });
  await getPrompt(bare.incoming);
  expect(bare.sent).toEqual([["s", { method: "prompts/get", params: { name: "greet" } }]]);
});

it("removes result members that the client's protocol revision does not have", async () => {
  const result = { messages: [], resultType: "complete", ttlMs: 5, cacheScope: "public", own: 1 };
  const scene = { params: { name: "s__greet" }, answer: { kind: "result", result } } as const;
  expect(await getPrompt(open(scene).incoming)).toEqual({ messages: [], own: 1 });
  const modern = await getPrompt(open({ ...scene, era: "modern" }).incoming);
  expect(modern).toEqual({ messages: [], ttlMs: 5, cacheScope: "public", own: 1 });
});

it.each([[{}], [{ name: 1 }], [{ name: "none__greet" }]])("rejects %j", async (params) => {
  await expect(getPrompt(open({ params }).incoming)).rejects.toMatchObject({ code: -32_602 });
});

it.each<[string, JsonObject, unknown]>([
  ["a prompt", { type: "ref/prompt", name: "s__greet" }, { type: "ref/prompt", name: "greet" }],
  ["a template", { type: "ref/resource", uri: "shared x:{id}" }, { type: "ref/resource", uri: "x:{id}" }],
])("forwards the completion of %s to its server", async (_, ref, theirs) => {
  const argument = { name: "id", value: "1" };
  const answer = { kind: "result", result: { completion: { values: ["12"] } } } as const;
  const { incoming, sent } = open({ params: { ref, argument }, answer });
  expect(await completeArgument(incoming)).toEqual({ completion: { values: ["12"] } });
  expect(sent).toEqual([["s", { method: "completion/complete", params: { ref: theirs, argument } }]]);
});

it.each<[string, JsonObject, UpstreamAnswer | undefined]>([
  ["a built-in prompt", { type: "ref/prompt", name: "discover" }, undefined],
  ["a built-in template", { type: "ref/resource", uri: "anygpt://tools/{server}/{tool}" }, undefined],
  [
    "a server without completion",
    { type: "ref/prompt", name: "s__greet" },
    { kind: "error", code: -32_601, message: "" },
  ],
])("returns no values for the completion of %s", async (_, ref, answer) => {
  const { incoming } = open({ params: { ref }, ...(answer && { answer }) });
  expect(await completeArgument(incoming)).toEqual({ completion: { values: [], total: 0, hasMore: false } });
});

it.each<[unknown]>([
  [undefined],
  [{ type: "ref/else" }],
  [{ type: "ref/prompt", name: "none" }],
  [{ type: "ref/resource", uri: "none" }],
  [{ type: "ref/resource" }],
])("rejects the completion of %j", async (ref) => {
  await expect(completeArgument(open({ params: { ref } }).incoming)).rejects.toMatchObject({ code: -32_602 });
});
