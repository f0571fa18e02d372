// The pieces of an answer that comes bit by bit come in; each event of it goes out when it is whole.
import { StringDecoder } from "node:string_decoder";

export type StreamKind = "events" | "lines" | "text";

/** How an answer comes bit by bit; undefined for one that means nothing before it is whole. */
export function streamKind(contentType: string, headers: Readonly<Record<string, string>>): StreamKind | undefined {
  if (contentType === "text/event-stream") return "events";
  if (/^application\/(?:x-ndjson|ndjson|jsonl|x-jsonlines|jsonlines|stream\+json|json-seq)$/.test(contentType))
    return "lines";
  const isChunked = headers["transfer-encoding"]?.includes("chunked") === true;
  return contentType === "text/plain" && isChunked ? "text" : undefined;
}

/** Gives what is new in each piece. Comments of an event stream, sent to keep a connection open, are nothing. */
export function createStreamReader(kind: StreamKind): (piece: Buffer) => string[] {
  const decoder = new StringDecoder("utf8");
  if (kind === "text") return (piece) => [decoder.write(piece)].filter((text) => text !== "");
  let rest = "";
  let data: string[] = [];

  function take(whole: string): string[] {
    const line = whole.endsWith("\r") ? whole.slice(0, -1) : whole;
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
    // A line may come in many pieces; only the end of what is left over can hold its end.
    const lines = decoder.write(piece).split("\n");
    lines[0] = rest + (lines[0] ?? "");
    rest = lines.pop() ?? "";
    return lines.flatMap(take);
  };
}
