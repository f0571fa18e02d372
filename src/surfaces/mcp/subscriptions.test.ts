import { expect, it } from "vitest";
import type { PromptsAndResources } from "../../metatools/prompts-and-resources/prompts-and-resources.js";
import type { UpstreamAnswer, Watching } from "../../upstreams/types.js";
import { createSubscriptions } from "./subscriptions.js";

const DONE: UpstreamAnswer = { kind: "result", result: {} };

function scene(answer: UpstreamAnswer | Error = DONE) {
  const watched = new Map<string, () => void>();
  const ended: string[] = [];
  const updates: string[] = [];
  const promptsAndResources = {
    resource: (uri: string) => ({ server: "s", uri: uri.replace("shared ", "") }),
    watch: ({ uri }: { uri: string }, onChange: () => void): Promise<Watching> => {
      watched.set(uri, onChange);
      if (answer instanceof Error) return Promise.reject(answer);
      return Promise.resolve({ answer, end: () => void ended.push(uri) });
    },
  } as Partial<PromptsAndResources> as PromptsAndResources;
  return {
    promptsAndResources,
    watched,
    ended,
    updates,
    subscriptions: createSubscriptions((uri) => updates.push(uri)),
  };
}

it("subscribes to a resource once for all subscribers, and reports the URI that they know", async () => {
  const { subscriptions, promptsAndResources, watched, ended, updates } = scene();
  expect(await subscriptions.add("shared x:1", 1, promptsAndResources)).toEqual(DONE);
  expect(await subscriptions.add("shared x:1", 2, promptsAndResources)).toEqual(DONE);
  expect([...watched.keys()]).toEqual(["x:1"]);
  watched.get("x:1")?.();
  expect(updates).toEqual(["shared x:1"]);
  subscriptions.remove("shared x:1", 1);
  subscriptions.remove("shared x:1", 1);
  await new Promise(setImmediate);
  expect(ended).toEqual([]);
  subscriptions.remove("shared x:1", 2);
  await new Promise(setImmediate);
  expect(ended).toEqual(["x:1"]);
});

it("ends all subscriptions of an owner, and all others on close", async () => {
  const { subscriptions, promptsAndResources, ended } = scene();
  for (const uri of ["x:1", "x:2", "x:3"])
    await subscriptions.add(uri, uri === "x:3" ? "other" : "one", promptsAndResources);
  subscriptions.removeAll("one");
  await new Promise(setImmediate);
  expect(ended).toEqual(["x:1", "x:2"]);
  subscriptions.close();
  await new Promise(setImmediate);
  expect(ended).toEqual(["x:1", "x:2", "x:3"]);
});

it("drops a subscription that fails, so that it can be retried", async () => {
  const refusal: UpstreamAnswer = { kind: "error", code: -32_601, message: "Method not found" };
  const refused = scene(refusal);
  expect(await refused.subscriptions.add("x:1", 1, refused.promptsAndResources)).toEqual(refusal);
  const failed = scene(new Error("away"));
  await expect(failed.subscriptions.add("x:1", 1, failed.promptsAndResources)).rejects.toThrow("away");
  failed.watched.clear();
  await expect(failed.subscriptions.add("x:1", 1, failed.promptsAndResources)).rejects.toThrow("away");
  expect([...failed.watched.keys()]).toEqual(["x:1"]);
});

it("sends no subscription for built-in resources, which do not change", async () => {
  const { subscriptions, promptsAndResources, watched } = scene();
  expect(await subscriptions.add("anygpt://guide", 1, promptsAndResources)).toEqual(DONE);
  expect(watched.size).toBe(0);
});

it("accepts at most 1000 resources", async () => {
  const { subscriptions, promptsAndResources } = scene();
  for (let index = 0; index < 1000; index++) await subscriptions.add(`x:${index}`, 1, promptsAndResources);
  expect(await subscriptions.add("x:1000", 1, promptsAndResources)).toMatchObject({ kind: "error", code: -32_602 });
  expect(await subscriptions.add("x:5", 2, promptsAndResources)).toEqual(DONE);
});
