import { expect, it } from "vitest";
import type { Offerings } from "../../metatools/offerings/offerings.js";
import type { UpstreamAnswer, Watching } from "../../upstreams/types.js";
import { createSubscriptions } from "./subscriptions.js";

const DONE: UpstreamAnswer = { kind: "result", result: {} };

function scene(answer: UpstreamAnswer | Error = DONE) {
  const watched = new Map<string, () => void>();
  const ended: string[] = [];
  const updates: string[] = [];
  const offerings = {
    resource: (uri: string) => ({ server: "s", uri: uri.replace("shared ", "") }),
    watch: ({ uri }: { uri: string }, onChange: () => void): Promise<Watching> => {
      watched.set(uri, onChange);
      if (answer instanceof Error) return Promise.reject(answer);
      return Promise.resolve({ answer, end: () => void ended.push(uri) });
    },
  } as Partial<Offerings> as Offerings;
  return { offerings, watched, ended, updates, subscriptions: createSubscriptions((uri) => updates.push(uri)) };
}

it("watches a resource once for all who want it, and tells its name as they know it", async () => {
  const { subscriptions, offerings, watched, ended, updates } = scene();
  expect(await subscriptions.add("shared x:1", 1, offerings)).toEqual(DONE);
  expect(await subscriptions.add("shared x:1", 2, offerings)).toEqual(DONE);
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

it("ends all that one owner wanted, and everything when the client is gone", async () => {
  const { subscriptions, offerings, ended } = scene();
  for (const uri of ["x:1", "x:2", "x:3"]) await subscriptions.add(uri, uri === "x:3" ? "other" : "one", offerings);
  subscriptions.removeAll("one");
  await new Promise(setImmediate);
  expect(ended).toEqual(["x:1", "x:2"]);
  subscriptions.close();
  await new Promise(setImmediate);
  expect(ended).toEqual(["x:1", "x:2", "x:3"]);
});

it("forgets what a server refuses or cannot be asked for, so that it can be wanted again", async () => {
  const refusal: UpstreamAnswer = { kind: "error", code: -32_601, message: "Method not found" };
  const refused = scene(refusal);
  expect(await refused.subscriptions.add("x:1", 1, refused.offerings)).toEqual(refusal);
  const failed = scene(new Error("away"));
  await expect(failed.subscriptions.add("x:1", 1, failed.offerings)).rejects.toThrow("away");
  failed.watched.clear();
  await expect(failed.subscriptions.add("x:1", 1, failed.offerings)).rejects.toThrow("away");
  expect([...failed.watched.keys()]).toEqual(["x:1"]);
});

it("asks nobody about our own resources, which do not change", async () => {
  const { subscriptions, offerings, watched } = scene();
  expect(await subscriptions.add("anygpt://guide", 1, offerings)).toEqual(DONE);
  expect(watched.size).toBe(0);
});

it("takes a thousand at most", async () => {
  const { subscriptions, offerings } = scene();
  for (let index = 0; index < 1000; index++) await subscriptions.add(`x:${index}`, 1, offerings);
  expect(await subscriptions.add("x:1000", 1, offerings)).toMatchObject({ kind: "error", code: -32_602 });
  expect(await subscriptions.add("x:5", 2, offerings)).toEqual(DONE);
});
