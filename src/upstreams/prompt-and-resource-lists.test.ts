import { expect, it } from "vitest";
import type { JsonObject } from "../model/json.js";
import { createOffers, type UseRelay } from "./prompt-and-resource-lists.js";
import type { Relay } from "./relay.js";
import type { UpstreamAnswer } from "./types.js";

/** A server with the given answers, one for each page. */
function relayOf(answers: readonly UpstreamAnswer[], asked: JsonObject[] = []): Relay {
  const left = [...answers];
  return {
    capabilities: { prompts: true, resources: true },
    request: ({ method, params }) => {
      asked.push({ method, ...params });
      return Promise.resolve(left.shift() ?? page("prompts", []));
    },
    watch: () => Promise.resolve({ kind: "result", result: {} }),
    unwatch: () => undefined,
  };
}

const page = (member: string, items: unknown, nextCursor?: string): UpstreamAnswer => ({
  kind: "result",
  result: { [member]: items, nextCursor },
});
const over =
  (relay: Relay | undefined): UseRelay =>
  (work) =>
    work(relay);
const offersAt = (clock: { now: number }) => createOffers({ now: () => clock.now, timeoutMs: () => 1000 });

it("reads a list to its last page", async () => {
  const asked: JsonObject[] = [];
  const relay = relayOf([page("prompts", [{ name: "a" }], "2"), page("prompts", [{ name: "b" }], "")], asked);
  expect(await offersAt({ now: 0 }).read("prompts", over(relay))).toEqual([{ name: "a" }, { name: "b" }]);
  expect(asked).toEqual([{ method: "prompts/list" }, { method: "prompts/list", cursor: "2" }]);
});

it.each<[string, unknown, JsonObject[]]>([
  ["that are not objects", [1, null, "x", { name: "a" }], [{ name: "a" }]],
  ["without a name", [{ title: "a" }, { name: "" }, { name: 1 }], []],
  [
    "with a duplicate name",
    [
      { name: "a", n: 1 },
      { name: "a", n: 2 },
    ],
    [{ name: "a", n: 1 }],
  ],
  ["nested too deep", [JSON.parse(`{"name":"a","x":${"[".repeat(80)}${"]".repeat(80)}}`)], []],
  ["of a list that is not an array", { name: "a" }, []],
])("skips items %s", async (_, items, expected) => {
  expect(await offersAt({ now: 0 }).read("prompts", over(relayOf([page("prompts", items)])))).toEqual(expected);
});

it("stops at a repeated cursor", async () => {
  const asked: JsonObject[] = [];
  const same = Array.from({ length: 10 }, () => page("resources", [{ uri: "x:1" }], "again"));
  expect(await offersAt({ now: 0 }).read("resources", over(relayOf(same, asked)))).toEqual([{ uri: "x:1" }]);
  expect(asked).toHaveLength(2);
});

it("stops at 10,000 items", async () => {
  const items = Array.from({ length: 10_050 }, (_, index) => ({ uri: `x:${index}` }));
  expect(await offersAt({ now: 0 }).read("resources", over(relayOf([page("resources", items)])))).toHaveLength(10_000);
});

it("does not ask a server without the capability, and treats an unknown method as an empty list", async () => {
  const asked: JsonObject[] = [];
  const none = { ...relayOf([], asked), capabilities: {} };
  expect(await offersAt({ now: 0 }).read("prompts", over(none))).toEqual([]);
  expect(await offersAt({ now: 0 }).read("prompts", over(undefined))).toEqual([]);
  expect(asked).toEqual([]);
  const unknown = relayOf([{ kind: "error", code: -32_601, message: "Method not found" }]);
  expect(await offersAt({ now: 0 }).read("templates", over(unknown))).toEqual([]);
});

it("fails when the server fails, and keeps the cached list", async () => {
  const offers = offersAt({ now: 0 });
  await offers.read("prompts", over(relayOf([page("prompts", [{ name: "a" }])])));
  const broken = relayOf([{ kind: "error", code: -32_603, message: "no" }]);
  await expect(offers.read("prompts", over(broken))).rejects.toMatchObject({ code: "SERVER_CONNECTION_ERROR" });
  expect(offers.known("prompts")).toEqual([{ name: "a" }]);
});

it("treats a list as fresh for the given time, until the server announces a change", async () => {
  const clock = { now: 0 };
  const offers = offersAt(clock);
  expect(offers.isFresh("prompts", 10)).toBe(false);
  await offers.read("prompts", over(relayOf([])));
  clock.now = 9;
  expect(offers.isFresh("prompts", 10)).toBe(true);
  clock.now = 10;
  expect(offers.isFresh("prompts", 10)).toBe(false);
  expect(offers.isFresh("prompts", 100)).toBe(true);
  offers.forget(["prompts"]);
  expect(offers.isFresh("prompts", 100)).toBe(false);
});

it("shares one read among concurrent callers unless the list changed meanwhile, and caches the latest", async () => {
  const offers = offersAt({ now: 0 });
  const gates: ((answer: UpstreamAnswer) => void)[] = [];
  const relay: Relay = {
    ...relayOf([]),
    request: () => new Promise((resolve) => gates.push(resolve)),
  };
  const first = offers.read("prompts", over(relay));
  expect(offers.read("prompts", over(relay))).toBe(first);
  offers.forget(["prompts"]);
  const second = offers.read("prompts", over(relay));
  expect(gates).toHaveLength(2);
  gates[1]?.(page("prompts", [{ name: "new" }]));
  expect(await second).toEqual([{ name: "new" }]);
  gates[0]?.(page("prompts", [{ name: "old" }]));
  expect(await first).toEqual([{ name: "old" }]);
  expect(offers.known("prompts")).toEqual([{ name: "new" }]);
});
