import { expect, it } from "vitest";
import { createListens } from "./listens.js";

it("tells of streams that are opened and ended, also of those opened before anybody listened", () => {
  const listens = createListens();
  const told: unknown[] = [];
  listens.heard("early", { notifications: { resourceSubscriptions: ["x:1"] } });
  listens.heard("gone", { notifications: {} });
  listens.heard("gone", undefined);
  listens.onListen((stream, filter) => told.push([stream, filter]));
  listens.heard(7, { notifications: "nothing" });
  listens.heard(7, undefined);
  listens.heard("of another request", undefined);
  expect(told).toEqual([
    ["early", { resourceSubscriptions: ["x:1"] }],
    [7, {}],
    [7, undefined],
  ]);
});
