// Splits a streamed response into its events. An event is returned when it is complete.
import { StringDecoder } from "node:string_decoder";

export type StreamKind = "events" | "lines" | "text";

/** The format of a streamed response. Undefined for a response that is only meaningful when complete. */
export function streamKind(contentType: string, headers: Readonly<Record<string, string>>): StreamKind | undefined {
  if (contentType === "text/event-stream") return "events";
  if (/^application\/(?:x-ndjson|ndjson|jsonl|x-jsonlines|jsonlines|stream\+json|json-seq)$/.test(contentType))
    return "lines";
  const isChunked = headers["transfer-encoding"]?.includes("chunked") === true;
  return contentType === "text/plain" && isChunked ? "text" : undefined;
}

/**
 * Returns the new events in each chunk. Comments in an event stream, which only keep a connection open, are ignored.
 */
export function createStreamReader(kind: StreamKind): (piece: Buffer) => string[] {
  const decoder = new StringDecoder("utf8");
  if (kind === "text") return (piece) => [decoder.write(piece)].filter((text) => text !== "");
  let rest = "";
  let data: string[] = [];

  function eventsOf(text: string): string[] {
    const line = text.endsWith("\r") ? text.slice(0, -1) : text;
    if (kind === "lines") return line.trim() === "" ? [] : [line];
    if (line !== "") {
      if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
      return [];
    }
    const event = data.join("\n");
    data = [];
    return event === "" ? [] : [event];
  }

  return (piece) => {
    // A line may arrive in many chunks, so the last incomplete line is kept for the next chunk.
    const lines = decoder.write(piece).split("\n");
    lines[0] = rest + (lines[0] ?? "");
    rest = lines.pop() ?? "";
    return lines.flatMap(eventsOf);
  };
}
