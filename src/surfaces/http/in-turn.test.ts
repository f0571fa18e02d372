import { once } from "node:events";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, it } from "vitest";
import { eventually } from "../../../test/support/eventually.js";
import { inTurn } from "./in-turn.js";

let server: Server | undefined;
const connections = new Set<Socket>();
afterEach(() => {
  connections.clear();
  server?.closeAllConnections();
  server?.close();
});

async function send(listener: RequestListener, requests: readonly string[]): Promise<Socket> {
  server = createServer(inTurn(listener)).listen(0, "127.0.0.1");
  server.on("connection", (one) => connections.add(one));
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(requests.join(""));
  return socket;
}

const get = (path: string, more = ""): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;

it("begins a request when the one before is answered", async () => {
  const begun: string[] = [];
  const open: ServerResponse[] = [];
  const socket = await send(
    ({ url = "" }, response) => {
      begun.push(url);
      open.push(response);
    },
    [get("/1"), get("/2"), get("/3", "Connection: close\r\n")],
  );
  const answers = text(socket);
  for (const count of [1, 2, 3]) {
    await eventually(() => begun.length === count);
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toHaveLength(count);
    open[count - 1]?.end(`answer ${count}`);
  }
  expect((await answers).match(/answer \d/g)).toEqual(["answer 1", "answer 2", "answer 3"]);
  expect(begun).toEqual(["/1", "/2", "/3"]);
});

it("never begins what follows one whose answer ends the connection, however long that takes", async () => {
  const begun: string[] = [];
  const socket = await send(
    ({ url = "" }, response) => {
      begun.push(url);
      setTimeout(() => {
        response.shouldKeepAlive = false;
        response.writeHead(400).end();
      }, 20);
    },
    [get("/refused", "Content-Length: 2\r\n"), "{}", get("/hidden")],
  );
  expect(await text(socket)).toMatch(/^HTTP\/1.1 400 /);
  expect(begun).toEqual(["/refused"]);
});

it("does not begin what arrives when the last answer is out and the connection not yet ended", async () => {
  const begun: string[] = [];
  const socket = await send(
    ({ url = "", socket: own }, response) => {
      begun.push(url);
      // It takes its time.
      own.destroySoon = () => undefined;
      response.shouldKeepAlive = url !== "/refused";
      response.end("told");
    },
    [get("/first")],
  );
  const told = async (): Promise<string> => String(((await once(socket, "data")) as [Buffer])[0]);
  expect(await told()).toContain("keep-alive");
  const refused = told();
  socket.write(get("/refused"));
  expect(await refused).toContain("Connection: close");
  socket.write(get("/hidden"));
  await eventually(() => [...connections].every(({ bytesRead }) => bytesRead === socket.bytesWritten));
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual(["/first", "/refused"]);
});

it("ends a connection on which too many wait", async () => {
  const begun: string[] = [];
  const socket = await send(
    ({ url = "" }) => void begun.push(url),
    Array.from({ length: 150 }, () => get("/")),
  );
  await once(socket.resume(), "close");
  expect(begun).toHaveLength(1);
});
