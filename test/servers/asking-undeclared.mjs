// A modern server that sends input requests whatever its client has declared, and in invalid forms. Start: node asking-undeclared.mjs
import { send, serve, text } from "./rpc.mjs";

const VERSION = "2026-07-28";
const FORMS = {
  undeclared: { inputRequests: { it: { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } } } },
  unknown: { inputRequests: { it: { method: "files/steal", params: {} } } },
  empty: {},
  many: { inputRequests: Object.fromEntries(Array.from({ length: 40 }, (_, n) => [n, { method: "roots/list" }])) },
};
const complete = (result) => ({ resultType: "complete", ...result });

serve({
  initialize: () => {
    throw Object.assign(new Error("Unsupported protocol version"), { code: -32022 });
  },
  "server/discover": () =>
    complete({ supportedVersions: [VERSION], capabilities: { tools: {} }, ttlMs: 0, cacheScope: "private" }),
  "tools/list": () =>
    complete({
      ttlMs: 0,
      cacheScope: "private",
      tools: [...Object.keys(FORMS), "fine"].map((name) => ({ name, inputSchema: { type: "object" } })),
    }),
  "tools/call": ({ name }, id) => {
    if (name === "fine") return complete(text("fine"));
    send({ id, result: { resultType: "input_required", ...FORMS[name] } });
  },
});
