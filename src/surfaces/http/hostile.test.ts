import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { testServer } from "../../../test/support/gateway.js";
import { openRest, type Rest } from "../../../test/support/rest.js";

let rest: Rest;
beforeAll(async () => {
  rest = await openRest({ servers: { echo: testServer("echo.mjs") } });
});
afterAll(async () => await rest.close());

const name = fc.oneof(
  fc.constantFrom("echo", "add", "..", "__proto__", "constructor"),
  fc.string({ unit: "grapheme" }),
);
const path = fc.oneof(
  fc
    .tuple(name, name)
    .map(([adapter, tool]) => `/api/adapters/${encodeURIComponent(adapter)}/tools/${encodeURIComponent(tool)}`),
  fc.webPath(),
  fc.tuple(name, fc.webQueryParameters()).map(([q, more]) => `/api/search?q=${encodeURIComponent(q)}&${more}`),
);
const body = fc.oneof(
  fc.json(),
  fc.string({ unit: "binary" }),
  fc.record({ text: fc.jsonValue() }).map((value) => JSON.stringify(value)),
);
const header = fc.stringMatching(/^[\x20-\x7e]{0,40}$/);

it("is never brought to a failure of its own by what is sent to it", async () => {
  await fc.assert(
    fc.asyncProperty(path, body, header, fc.boolean(), async (at, sent, key, isPost) => {
      const init = isPost
        ? { method: "POST", body: sent, headers: { "content-type": "application/json", "idempotency-key": key } }
        : { headers: { "x-anygpt-timeout": key } };
      const { status, headers, json } = await rest.ask(at, init);
      expect(status).toBeLessThan(500);
      expect(headers.get("content-type")).toBe(status < 300 ? "application/json" : "application/problem+json");
      expect(Object.keys(json).length).toBeGreaterThan(0);
    }),
    { numRuns: 250 },
  );
  expect((await rest.post("/api/adapters/echo/tools/echo", { text: "still here" })).json["result"]).toBe("still here");
});
