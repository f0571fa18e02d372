import { describe, expect, it } from "vitest";
import { oversizeAnswer, oversizeError } from "./oversize.js";

function answer(head: string, tail: string) {
  return oversizeAnswer({ head: Buffer.from(head), tail: Buffer.from(tail), bytes: 11 * 1024 * 1024 });
}

describe("the error response that replaces a message that is too large", () => {
  it.each([
    ["in front", '{"jsonrpc":"2.0","id":7,"result":{"content":[{"text":"xx', 'xx"}]}}', 7],
    ["at the very front", '{"id":7,"jsonrpc":"2.0","result":{"content":[{"text":"xx', 'xx"}]}}', 7],
    ["at the end", '{"result":{"content":[{"text":"xx', 'xx"}]},"jsonrpc":"2.0","id":7}', 7],
    ["at the end before the version", '{"result":{"content":[{"text":"xx', 'xx"}]},"id":7,"jsonrpc":"2.0"}', 7],
    ["as text", '{"jsonrpc":"2.0","id":"a-7","result":{', "}}", "a-7"],
    ["in an event", 'data: {"jsonrpc":"2.0","id":7,"result":{', "}}", 7],
  ])("carries the id that is %s", (_name, head, tail, id) => {
    expect(answer(head, tail)).toMatchObject({ id, error: { data: { bytes: 11_534_336 } } });
  });

  it.each([
    ["is nested deeper", '{"result":{"id":7,"text":"xx', '"id":7}}'],
    ["is part of a string", '{"result":{"text":"', '\\"id\\":7}"}}'],
    ["is missing", '{"jsonrpc":"2.0","method":"notifications/message","params":{', "}}"],
  ])("does not exist if the id %s", (_name, head, tail) => {
    expect(answer(head, tail)).toBeUndefined();
  });

  it("becomes an error with the size that reports the tool as executed", () => {
    const { error } = answer('{"id":1,"result":', "}") as { error: { code: number; data: unknown } };
    expect(oversizeError("github", error.code, error.data)).toMatchObject({
      code: "RESULT_TOO_LARGE",
      message: "github sent an answer of 11.0 MiB, which exceeds the limit.",
      executed: "yes",
    });
    expect(oversizeError("github", -32_603, undefined)).toBeUndefined();
  });
});
