import { describe, expect, it } from "vitest";
import { parseFrame } from "./frames.js";

const parse = (message: object) => parseFrame(Buffer.from(JSON.stringify(message)));

describe("a message with unknown top-level members", () => {
  it.each([
    ["a request", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "a" } }],
    ["a request without parameters", { jsonrpc: "2.0", id: "a", method: "ping" }],
    ["a notification", { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }],
  ])("is read without them: %s", (_name, message) => {
    const unknown = { extra: 1, _meta: { a: 1 }, traceparent: "00-1" };
    expect(parse({ ...unknown, ...message })).toEqual({ kind: "message", message, flaws: [] });
    expect(parse({ ...message, ...unknown })).toEqual({ kind: "message", message, flaws: [] });
  });

  it.each([
    ["a result", { result: {} }],
    ["an error", { error: { code: 1, message: "a" } }],
    ["a result that is null", { result: null }],
  ])("is refused if it is a request and has %s", (_name, extra) => {
    expect(parse({ jsonrpc: "2.0", id: 1, method: "ping", ...extra })).toMatchObject({
      kind: "refused",
      answer: { id: 1, error: { code: -32600 } },
    });
  });
});

describe("every request", () => {
  const values = [undefined, null, true, 0, 1.5, "a", [], {}, [1], { a: 1 }];
  const members = ["jsonrpc", "id", "method", "params", "result", "error", "extra"] as const;
  const base = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
  const variants = members.flatMap((one) =>
    members.flatMap((two) =>
      values.flatMap((first) => values.map((second) => ({ ...base, [one]: first, [two]: second }))),
    ),
  );

  it(`is delivered with known members only, or refused: ${variants.length} variants`, () => {
    const known = new Set(["jsonrpc", "id", "method", "params"]);
    const wrong = variants.filter((variant) => {
      const frame = parse(variant);
      if (frame.kind !== "message") return frame.kind !== "refused";
      const { message } = frame;
      return "method" in message && Object.keys(message).some((name) => !known.has(name));
    });
    expect(wrong).toEqual([]);
  });
});
