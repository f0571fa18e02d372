import { describe, expect, it } from "vitest";
import type { CallResult } from "../model/call.js";
import { estimateTokens } from "./estimate-tokens.js";
import { runAtOnce, runSlices } from "./slices.js";
import { viewResult } from "./view-result.js";

const describeNext = ({ tokens }: { tokens: number }) => `[About ${tokens} tokens. Next: read_result abc]`;
const text = (value: string) => ({ type: "text", text: value });

function view(result: CallResult, maxTokens: number): CallResult {
  return runAtOnce(viewResult(result, { maxTokens, describeNext }));
}

function viewText(given: string | object, maxTokens: number): string {
  const result = typeof given === "string" ? { content: [text(given)] } : { content: [], structuredContent: given };
  return view(result, maxTokens)
    .content.map((item) => String(item["text"]))
    .join("\n");
}

describe("viewResult", () => {
  it("returns a result within the budget as the same object", () => {
    const result: CallResult = { content: [text("word ".repeat(90))], structuredContent: { a: 1 }, _meta: { b: 2 } };
    expect(view(result, 120)).toBe(result);
  });

  it("counts JSON that is both in a text and in the structured content once", () => {
    const value = { words: "word ".repeat(80).trim() };
    const result: CallResult = { content: [text(JSON.stringify(value, null, 2))], structuredContent: value };
    expect(view(result, 120)).toBe(result);
    expect(view({ content: [text("other ".repeat(80))], structuredContent: value }, 120)).not.toBe(result);
  });

  it("shows a text once that the structured content repeats, with its lines", () => {
    const log = Array.from({ length: 3000 }, (_, n) => `line ${n} of the log`).join("\n");
    const json = JSON.stringify(Array.from({ length: 900 }, (_, id) => ({ id, name: `n${id}` })));
    for (const content of [log, json]) {
      const wrapped = { content: [text(content)], structuredContent: { content } };
      expect(view(wrapped, 300)).toEqual(view({ content: [text(content)] }, 300));
    }
  });

  it("keeps isError, _meta, other members and images, and leaves out the structured content", () => {
    const image = { type: "image", data: "x".repeat(50_000), mimeType: "image/png" };
    const result: CallResult = {
      content: [image, text("a b c ".repeat(3000)), text("second")],
      structuredContent: { big: "word ".repeat(5000) },
      isError: true,
      _meta: { trace: 7 },
      odd: "member",
    };
    const { content, ...rest } = view(result, 300);
    expect(rest).toEqual({ isError: true, _meta: { trace: 7 }, odd: "member" });
    expect(content).toEqual([
      image,
      { type: "text", text: expect.stringContaining("a b c") as string },
      { type: "text", text: expect.stringMatching(/^\[About/) as string },
    ]);
    expect(content[0]).toBe(image);
  });

  it("ends with the line of the caller, which gets the size of the result", () => {
    expect(viewText("line\n".repeat(5000), 200)).toMatch(/\n\[About \d{4,5} tokens\. Next: read_result abc\]$/);
  });

  it("shows an array of objects as a table with its size and its columns", () => {
    const items = Array.from({ length: 4213 }, (_, n) => ({ id: 1000 + n, name: `item-${n}`, kind: "disk" }));
    const shown = viewText({ items }, 400);
    expect(shown).toContain("items: array of 4,213 (all kind: disk): id | name");
    expect(shown).toContain("- 1000 | item-0");
    expect(shown).toMatch(/… items \d+-\d+/);
    expect(estimateTokens(shown)).toBeLessThanOrEqual(400);
  });

  it("shows the elements that differ from the others", () => {
    const items: object[] = Array.from({ length: 3000 }, (_, n) => ({ id: n, status: "ok", size: 10 + (n % 7) }));
    items[1711] = { id: 1711, status: "ok", size: 12, fault: "disk full" };
    items[2222] = { id: 2222, status: "lost", size: 12 };
    items[2800] = { id: 2800, status: "ok", size: 9_999_999 };
    const shown = viewText({ items }, 500);
    expect(shown).toContain("disk full");
    expect(shown).toContain("2222 | lost | 12 (rare status: lost)");
    expect(shown).toContain("9999999 (outlier in size)");
  });

  it("shows the short members of all elements before the long texts of the first ones", () => {
    const items = Array.from({ length: 40 }, (_, n) => ({
      title: `Title-${n}`,
      body: `${n} lorem ipsum dolor `.repeat(60),
    }));
    const shown = viewText(JSON.stringify(items), 700);
    for (let n = 0; n < 40; n += 1) expect(shown).toContain(`Title-${n}`);
    expect(shown).toMatch(/body \(1,\d{3} characters\)/);
  });

  it("replaces base64 inside JSON with a note about its size", () => {
    const data = Buffer.from(Array.from({ length: 9000 }, (_, n) => (n * 7919) % 251)).toString("base64");
    const shown = viewText({ name: "photo.png", data, url: `data:image/png;base64,${data}` }, 200);
    expect(shown).toContain("photo.png");
    expect(shown).toContain("[base64 data, 12,000 characters]");
    expect(estimateTokens(shown)).toBeLessThan(120);
  });

  it("shows JSON that a text cuts off at its end, and JSON in an escaped string", () => {
    const items = Array.from({ length: 200 }, (_, n) => ({ id: n, name: `thing ${n}` }));
    const cut = JSON.stringify({ items }, null, 2).slice(0, 9000);
    expect(viewText(cut, 300)).toContain("JSON, cut off at its end:");
    const wrapped = `result=Text('${JSON.stringify(JSON.stringify({ items }, null, 2)).slice(1, -1)}')`;
    expect(viewText(wrapped, 300)).toContain("items: array of 200: id | name");
  });

  it("shows the head, the tail, headings with their line numbers and the omitted lines of a text", () => {
    const lines = Array.from({ length: 5000 }, (_, n) => `filler filler line ${n}`);
    lines[0] = "first line of the document";
    lines[2499] = "## Installation";
    lines[4999] = "conclusion reached yesterday";
    const shown = viewText(lines.join("\n"), 500);
    expect(shown).toContain("first line of the document");
    expect(shown).toContain("L2500 ## Installation");
    expect(shown).toContain("conclusion reached yesterday");
    expect(shown).toMatch(/… (?:\d+ similar )?lines \d+-\d+/);
  });

  it("reduces HTML to its text, headings and links", () => {
    const rows = Array.from({ length: 300 }, (_, n) => `<div class="row"><a href="/item/${n}">Item ${n}</a></div>`);
    const page = `<!doctype html><html><head><style>${".a{b:c}".repeat(500)}</style><title>Shop</title></head><body><h2>Offers &amp; more</h2>${rows.join("")}</body></html>`;
    const shown = viewText(page, 400);
    expect(shown).toContain("# Shop");
    expect(shown).toContain("## Offers & more");
    expect(shown).toContain("[Item 0](/item/0)");
    expect(shown).not.toContain("{b:c}");
  });

  it("gives the same view with and without pauses", async () => {
    const items = Array.from({ length: 3000 }, (_, n) => ({ id: n, name: `n${n}` }));
    const result: CallResult = { content: [], structuredContent: { items } };
    const options = { maxTokens: 300, describeNext };
    expect(await runSlices(viewResult(result, options))).toEqual(view(result, 300));
  });
});
