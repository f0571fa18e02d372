import { expect, it } from "vitest";
import { createListens } from "./listens.js";

it("reports opened and ended streams, including those opened before the first listener", () => {
  const listens = createListens();
  const calls: unknown[] = [];
  listens.update("early", { notifications: { resourceSubscriptions: ["x:1"] } });
  listens.update("gone", { notifications: {} });
  listens.update("gone", undefined);
  listens.onListen((stream, filter) => calls.push([stream, filter]));
  listens.update(7, { notifications: "nothing" });
  listens.update(7, undefined);
  listens.update("of another request", undefined);
  expect(calls).toEqual([
    ["early", { resourceSubscriptions: ["x:1"] }],
    [7, {}],
    [7, undefined],
  ]);
});
