import { expect, it } from "vitest";
import { toAuthEntry } from "./auth-entry.js";

it.each([
  ["bearer:A", { type: "bearer", token: "${A}" }],
  ["basic:U:P", { type: "basic", username: "${U}", password: "${P}" }],
  ["basic:U", { type: "basic", username: "${U}" }],
  ["header:X-Key:K", { type: "apiKey", in: "header", name: "X-Key", value: "${K}" }],
  ["query:key:K", { type: "apiKey", in: "query", name: "key", value: "${K}" }],
  ["cookie:sid:K", { type: "apiKey", in: "cookie", name: "sid", value: "${K}" }],
  [
    "oauth2:I:S:https://x.test:8443/token",
    { type: "oauth2", tokenUrl: "https://x.test:8443/token", clientId: "${I}", clientSecret: "${S}" },
  ],
])("converts %s to %j", (option, entry) => {
  expect(toAuthEntry(option)).toEqual(entry);
});

it.each([
  "",
  "bearer",
  "bearer:",
  "bearer:sk-live-1",
  "basic::P",
  "header:X",
  "header::K",
  "oauth2:I:S",
  "oauth2:I:S:ftp://x",
])("rejects %j without repeating it", (option) => {
  expect(() => toAuthEntry(option)).toThrow(/^The value of --auth is invalid/);
});
