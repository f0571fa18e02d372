import { once } from "node:events";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, it } from "vitest";
import { eventually } from "../../../test/support/eventually.js";
import { processSequentially } from "./sequential-requests.js";

let server: Server | undefined;
const connections = new Set<Socket>();
afterEach(() => {
  connections.clear();
  server?.closeAllConnections();
  server?.close();
});

async function send(listener: RequestListener, requests: readonly string[]): Promise<Socket> {
  server = createServer(processSequentially(listener)).listen(0, "127.0.0.1");
  server.on("connection", (one) => connections.add(one));
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(requests.join(""));
  return socket;
}

const get = (path: string, more = ""): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;

it("starts a request when the previous one has been answered", async () => {
  const started: string[] = [];
  const open: ServerResponse[] = [];
  const socket = await send(
    ({ url = "" }, response) => {
      started.push(url);
      open.push(response);
    },
    [get("/1"), get("/2"), get("/3", "Connection: close\r\n")],
  );
  const answers = text(socket);
  for (const count of [1, 2, 3]) {
    await eventually(() => started.length === count);
    await new Promise((resolve) => setImmediate(resolve));
    expect(started).toHaveLength(count);
    open[count - 1]?.end(`answer ${count}`);
  }
  expect((await answers).match(/answer \d/g)).toEqual(["answer 1", "answer 2", "answer 3"]);
  expect(started).toEqual(["/1", "/2", "/3"]);
});

it("does not start a request after one whose answer closes the connection", async () => {
  const started: string[] = [];
  const socket = await send(
    ({ url = "" }, response) => {
      started.push(url);
      setTimeout(() => {
        response.shouldKeepAlive = false;
        response.writeHead(400).end();
      }, 20);
    },
    [get("/refused", "Content-Length: 2\r\n"), "{}", get("/hidden")],
  );
  expect(await text(socket)).toMatch(/^HTTP\/1.1 400 /);
  expect(started).toEqual(["/refused"]);
});

it("does not start a request that arrives after the last answer and before the connection is closed", async () => {
  const started: string[] = [];
  const socket = await send(
    ({ url = "", socket: own }, response) => {
      started.push(url);
      // Delay the end of the connection.
      own.destroySoon = () => undefined;
      response.shouldKeepAlive = url !== "/refused";
      response.end("answer");
    },
    [get("/first")],
  );
  const nextAnswer = async (): Promise<string> => String(((await once(socket, "data")) as [Buffer])[0]);
  expect(await nextAnswer()).toContain("keep-alive");
  const refused = nextAnswer();
  socket.write(get("/refused"));
  expect(await refused).toContain("Connection: close");
  socket.write(get("/hidden"));
  await eventually(() => [...connections].every(({ bytesRead }) => bytesRead === socket.bytesWritten));
  await new Promise((resolve) => setImmediate(resolve));
  expect(started).toEqual(["/first", "/refused"]);
});

it("closes a connection with too many pipelined requests", async () => {
  const started: string[] = [];
  const socket = await send(
    ({ url = "" }) => void started.push(url),
    Array.from({ length: 150 }, () => get("/")),
  );
  await once(socket.resume(), "close");
  expect(started).toHaveLength(1);
});
