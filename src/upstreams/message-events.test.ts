import { describe, expect, it } from "vitest";
import { monitored } from "../../test/support/message-monitor.js";
import { createMessageEvents } from "./message-events.js";
import { createReadMessages } from "./read-messages.js";

/** The stream's output for these chunks. Rejects if the stream fails. */
async function pass(chunks: readonly string[], maxMessageBytes = 10_000): Promise<string> {
  const parts = monitored("remote");
  const events = createMessageEvents({
    server: "remote",
    maxMessageBytes,
    ...parts,
    readMessages: createReadMessages(parts),
  });
  const bytes = chunks.map((chunk) => new Uint8Array(Buffer.from(chunk)));
  const source = ReadableStream.from(bytes) as unknown as ReadableStream<Uint8Array>;
  return await new Response(source.pipeThrough(events)).text();
}

describe("the line breaks of an event stream", () => {
  const text = "event: message\ndata: 1\n\ndata: 2\n\n: comment\n\n";

  it.each(["\n", "\r\n", "\r"])("may be %j, at any cut of the stream", async (end) => {
    const given = text.replaceAll("\n", end);
    for (let cut = 0; cut <= given.length; cut += 1)
      expect(await pass([given.slice(0, cut), given.slice(cut)])).toBe(text);
    expect(await pass(given.split(""))).toBe(text);
  });
});

describe("an event with several data lines", () => {
  it("is passed on", async () => {
    const text = 'data: {"a":[\ndata: 1,2]}\n\n';
    expect(await pass([text])).toBe(text);
  });

  it("is measured as a whole: the stream ends if it is nested too deep", async () => {
    const text = `data: ${"[".repeat(400)}\ndata: ${"[".repeat(400)}\n\n`;
    await expect(pass([text])).rejects.toMatchObject({ code: "TOOL_EXECUTION_ERROR" });
    expect(await pass([`${text.split("\n")[0]}\n\n`.repeat(3)])).toContain("[[[");
  });
});
