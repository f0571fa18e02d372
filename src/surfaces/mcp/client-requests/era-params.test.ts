import { expect, it } from "vitest";
import { toServerRequestCapabilities } from "./client-capabilities.js";
import { toLegacyParams, toModernParams } from "./era-params.js";

it.each([
  [{ mode: "form", message: "m" }, { message: "m" }],
  [{ message: "m" }, { message: "m" }],
  [
    { mode: "url", url: "u", elicitationId: "e" },
    { mode: "url", url: "u", elicitationId: "e" },
  ],
])("converts the elicitation %j for a legacy client to %j", (params, expected) => {
  expect(toLegacyParams("elicitation/create", params)).toEqual(expected);
});

it("gives a URL elicitation without an id a new id each time", () => {
  const [one, other] = [1, 2].map(() => toLegacyParams("elicitation/create", { mode: "url", url: "u" }));
  expect(one).toEqual({ mode: "url", url: "u", elicitationId: expect.any(String) as unknown });
  expect(one?.["elicitationId"]).not.toBe(other?.["elicitationId"]);
});

it.each([
  [{ message: "m" }, { mode: "form", message: "m" }],
  [
    { mode: "form", message: "m" },
    { mode: "form", message: "m" },
  ],
  [
    { mode: "url", url: "u", elicitationId: "e" },
    { mode: "url", url: "u" },
  ],
])("converts the elicitation %j for a modern client to %j", (params, expected) => {
  expect(toModernParams("elicitation/create", params)).toEqual(expected);
});

it.each(["sampling/createMessage", "roots/list"])("leaves %s unchanged", (method) => {
  const params = { mode: "form", elicitationId: 1 };
  expect([toLegacyParams(method, params), toModernParams(method, params)]).toEqual([params, params]);
});

it.each<[unknown, unknown]>([
  [undefined, undefined],
  [null, undefined],
  [{}, undefined],
  [{ experimental: { a: {} }, tasks: {} }, undefined],
  [{ elicitation: true, roots: null }, undefined],
  [{ elicitation: {} }, { elicitation: { form: {} } }],
  [{ elicitation: { url: {} }, extensions: {} }, { elicitation: { url: {} } }],
  [
    { sampling: { tools: {} }, roots: { listChanged: true } },
    { sampling: { tools: {} }, roots: { listChanged: true } },
  ],
])("selects from the capabilities %j those for requests of servers: %j", (declared, expected) => {
  expect(toServerRequestCapabilities(declared)).toEqual(expected);
});
