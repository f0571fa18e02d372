// A proxy that adds the token, because the suite cannot send one and the gateway requires one. Everything else passes
// unchanged, including the Host header.
import { createServer, request } from "node:http";

export async function startTokenProxy() {
  let target;
  const server = createServer((incoming, outgoing) => {
    const { origin, token } = target;
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const { method, url: path } = incoming;
    const forwarded = request(origin, { method, path, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
      answer.on("error", () => outgoing.destroy());
    });
    forwarded.on("error", () => outgoing.destroy());
    outgoing.on("close", () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    forwardTo(origin, token) {
      target = { origin, token };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
