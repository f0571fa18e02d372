import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code?: number; readonly message?: string };
  /** By key, each as text. */
  readonly facts: Readonly<Record<string, string>>;
}

/** An OTLP/HTTP trace collector on loopback. */
export interface Collector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  close(): void;
}

export async function openCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += String(chunk)));
    request.on("end", () => {
      for (const { scopeSpans } of JSON.parse(text).resourceSpans) {
        for (const { spans: reported } of scopeSpans) spans.push(...reported.map(toCollected));
      }
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    close: () => void server.close(),
  };
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

function toCollected({ attributes, ...span }: { attributes: readonly Attribute[] } & Omit<CollectedSpan, "facts">) {
  return {
    ...span,
    facts: Object.fromEntries(attributes.map(({ key, value }) => [key, String(Object.values(value)[0])])),
  };
}
