/** Results that must reach the caller unchanged. */
export const RESULTS = [
  { name: "text", result: { content: [{ type: "text", text: "plain words" }] } },
  {
    name: "unicode",
    result: { content: [{ type: "text", text: 'Zürich, 東京, مرحبا, 👩🏽‍🚀, e\u0301, \u2028, \u0000, \t"\\' }] },
  },
  { name: "image", result: { content: [{ type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" }] } },
  { name: "audio", result: { content: [{ type: "audio", data: "UklGRg==", mimeType: "audio/wav" }] } },
  {
    name: "embedded",
    result: {
      content: [
        { type: "resource", resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "inside" } },
        { type: "resource", resource: { uri: "file:///b.bin", mimeType: "application/octet-stream", blob: "AAEC" } },
      ],
    },
  },
  {
    name: "link",
    result: {
      content: [{ type: "resource_link", uri: "file:///c", name: "c", title: "C", size: 3, mimeType: "text/plain" }],
    },
  },
  {
    name: "structured",
    outputSchema: {
      type: "object",
      properties: { sum: { type: "number" }, parts: { type: "array" } },
      required: ["sum"],
    },
    result: {
      content: [{ type: "text", text: '{"sum":3}' }],
      structuredContent: { sum: 3, parts: [1, null, { deep: [] }] },
    },
  },
  {
    name: "annotated",
    result: { content: [{ type: "text", text: "for you", annotations: { audience: ["user"], priority: 0.5 } }] },
  },
  {
    name: "meta",
    result: {
      content: [{ type: "text", text: "traced", _meta: { "example.com/block": 1 } }],
      _meta: { "example.com/trace": "t-1" },
    },
  },
  { name: "error", result: { content: [{ type: "text", text: "it did not work" }], isError: true } },
  {
    name: "several",
    result: {
      content: [
        { type: "text", text: "one" },
        { type: "image", data: "AAAA", mimeType: "image/png" },
        { type: "text", text: "" },
        { type: "text", text: "two" },
      ],
    },
  },
  { name: "large", result: { content: [{ type: "text", text: "0123456789abcde\n".repeat(65_536) }] } },
];
