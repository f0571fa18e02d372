import { describe, expect, it } from "vitest";
import type { CallResult } from "../../model/call.js";
import { render } from "../../terminal/render.js";
import { resultLines } from "./result-lines.js";

const text = (value: string) => ({ content: [{ type: "text", text: value }] });
const print = (result: CallResult): string => render(resultLines(result, 2), { columns: 80, color: false });

describe("resultLines", () => {
  it.each<[string, CallResult, string]>([
    ["text as it is", text("first line\n  second"), "  first line\n    second\n"],
    [
      "flat JSON text as values by name",
      text('{"number":123,"state":"open","body":null}'),
      "  number: 123\n  state: open\n  body: null\n",
    ],
    ["nested JSON text as JSON", text('{"a":{"b":1}}'), '  {\n    "a": {\n      "b": 1\n    }\n  }\n'],
    ["text that only begins like JSON as it is", text("[note] hello"), "  [note] hello\n"],
    [
      "structured content in place of the text that repeats it",
      { ...text('{"sum":3}'), structuredContent: { sum: 3 } },
      "  sum: 3\n",
    ],
    [
      "a value with line breaks as JSON, not as several lines",
      { content: [], structuredContent: { a: "x\ny" } },
      '  {\n    "a": "x\\ny"\n  }\n',
    ],
    [
      "an image by type and size",
      { content: [{ type: "image", data: "A".repeat(16_384), mimeType: "image/png" }] },
      "  [image image/png, 12 KB]\n",
    ],
    [
      "audio by type and size",
      { content: [{ type: "audio", data: "AAAA", mimeType: "audio/wav" }] },
      "  [audio audio/wav, 3 B]\n",
    ],
    [
      "a large image in megabytes",
      { content: [{ type: "image", data: "A".repeat(2_796_204), mimeType: "image/png" }] },
      "  [image image/png, 2.0 MB]\n",
    ],
    [
      "a link as its address",
      { content: [{ type: "resource_link", uri: "file:///a", name: "a" }] },
      "  file:///a (a)\n",
    ],
    [
      "an embedded text",
      { content: [{ type: "resource", resource: { uri: "file:///a", text: "hi" } }] },
      "  file:///a:\n    hi\n",
    ],
    [
      "an embedded binary",
      { content: [{ type: "resource", resource: { uri: "file:///a", blob: "AAAA" } }] },
      "  [resource file:///a unknown type, 3 B]\n",
    ],
    [
      "content of a kind that nobody knows",
      { content: [{ type: "hologram", beams: 3 }] },
      "  type: hologram\n  beams: 3\n",
    ],
    [
      "images beside structured content",
      { content: [{ type: "image", data: "AAAA", mimeType: "image/png" }], structuredContent: { a: 1 } },
      "  a: 1\n  [image image/png, 3 B]\n",
    ],
  ])("shows %s", (_name, result, expected) => {
    expect(print(result)).toBe(expected);
  });

  it("lets no escape of a tool through", () => {
    expect(print(text("\u001b]0;title\u0007"))).toBe("  \\u001b]0;title\\u0007\n");
  });
});
