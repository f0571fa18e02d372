import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { eventually } from "../../../test/support/eventually.js";
import { testServer } from "../../../test/support/gateway.js";
import { openRest, type Rest } from "../../../test/support/rest.js";

const opened: Rest[] = [];
const open: typeof openRest = async (...parts) => {
  const rest = await openRest(...parts);
  opened.push(rest);
  return rest;
};
afterEach(async () => {
  for (const rest of opened.splice(0)) await rest.close();
});

describe("the listening address", () => {
  it.each([
    ["127.0.0.1", /^http:\/\/127\.0\.0\.1:/],
    ["localhost", /^http:\/\/(127\.0\.0\.1|\[::1\]):/],
    ["127.0.0.2", /^http:\/\/127\.0\.0\.2:/],
  ])("can be %s", async (host, expected) => {
    const rest = await open({}, { host });
    expect(rest.url).toMatch(expected);
    expect((await rest.ask("/healthz")).status).toBe(200);
  });

  it.each(["0.0.0.0", "::", "[::]", "192.0.2.1", "8.8.8.8", "0", "fe80::1"])(
    "must not be %s without authentication",
    async (host) => {
      await expect(open({}, { host })).rejects.toMatchObject({
        code: "CONFIGURATION_ERROR",
        message: expect.stringContaining(host),
        hint: expect.stringContaining("127.0.0.1"),
      });
    },
  );

  it("must be resolvable", async () => {
    await expect(open({}, { host: "no-such-host.invalid" })).rejects.toMatchObject({ code: "CONFIGURATION_ERROR" });
  });

  it("must not be in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    await expect(open({}, { port })).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
      message: expect.stringContaining(`127.0.0.1:${port}`),
      hint: expect.stringContaining("--port"),
    });
    other.close();
  });

  it("is logged with the path of the token file, but not the token", async () => {
    const { logged, url, token, folder } = await open();
    const file = join(folder, "state", "http.token");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8").trim()).toBe(token);
    expect(logged.join("\n")).toContain(`Serving on ${url}`);
    expect(logged.join("\n")).toContain(file);
    expect(logged.join("\n")).not.toContain(token);
  });
});

/** A server whose calls end when a file appears; `held` is the number of calls that have started. */
async function openGate(graceMs = 10_000) {
  const rest = await open({ servers: { gate: testServer("gate.mjs") } }, { graceMs });
  const file = join(rest.folder, "go");
  const held = async (): Promise<number> =>
    Number((await rest.post("/api/adapters/gate/tools/held", {})).json["result"]);
  const hold = (init: { signal?: AbortSignal } = {}) =>
    rest.ask("/api/adapters/gate/tools/hold", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ file }),
      ...init,
    });
  return { rest, hold, held, go: () => writeFileSync(file, "") };
}

describe("a caller that disconnects", () => {
  it.each([
    ["in the middle of its request", 'Content-Length: 100\r\n\r\n{"by'],
    ["in the middle of the answer", 'Content-Length: 17\r\n\r\n{"bytes":8000000}'],
  ])("%s affects no other caller, and nothing is written to stdout", async (_, rest) => {
    const written = vi.spyOn(process.stdout, "write");
    const gateway = await open({ servers: { echo: testServer("echo.mjs") } });
    const { upstreams } = await gateway.engine.known();
    const socket = connect(gateway.port, "127.0.0.1");
    const type = "Content-Type: application/json";
    socket.write(`POST /api/adapters/echo/tools/big HTTP/1.1\r\nHost: localhost\r\n`);
    socket.write(`Authorization: Bearer ${gateway.token}\r\n${type}\r\n${rest}`);
    if (rest.endsWith("}")) await once(socket, "data");
    else await eventually(async () => (await connections(gateway)) > 0);
    socket.destroy();
    await eventually(async () => (await connections(gateway)) === 0);
    const { json } = await gateway.post("/api/adapters/echo/tools/echo", { text: "still here" });
    expect(json["result"]).toBe("still here");
    expect(upstreams.state("echo").kind).toBe("open");
    expect(written).not.toHaveBeenCalled();
    written.mockRestore();
  });

  it("cancels its call, which is recorded as cancelled", async () => {
    const rest = await open({ servers: { echo: testServer("echo.mjs") } });
    const leaving = new AbortController();
    const left = rest
      .ask("/api/adapters/echo/tools/sleep", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ms: 600_000 }),
        signal: leaving.signal,
      })
      .catch((error: unknown) => error);
    const { persistence, upstreams } = await rest.engine.known();
    const bodies = async () =>
      (await persistence.store.audit.read({ after: 0, limit: 100 })).map(({ body }) => body).join();
    await eventually(async () => (await bodies()).includes('"kind":"intent"'));
    await eventually(() => upstreams.state("echo").kind === "open");
    leaving.abort();
    expect(await left).toMatchObject({ name: "AbortError" });
    await eventually(async () => (await bodies()).includes("CANCELLED"));
    const { json } = await rest.post("/api/adapters/echo/tools/cancelled", {});
    expect(json["result"]).toHaveLength(1);
  });
});

describe("a gateway that is stopped", () => {
  it("finishes calls in progress, accepts no new requests, and closes its connections", async () => {
    const { rest, hold, held, go } = await openGate();
    const call = hold();
    await eventually(async () => (await held()) === 1);
    // An unused connection, and one with a request that is not complete.
    const idle = connect(rest.port, "127.0.0.1");
    await once(idle, "connect");
    const late = connect(rest.port, "127.0.0.1");
    await once(late, "connect");
    late.write("GET /healthz HTTP/1.1\r\n");
    await eventually(async () => (await connections(rest)) >= 3);
    rest.stop.abort();
    late.write("Host: localhost\r\n\r\n");
    const [answer] = (await once(late, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 503 [^]*connection: close[^]*"code":"OVERLOADED"/i);
    await expect(fetch(`${rest.url}/healthz`)).rejects.toThrow("fetch failed");
    go();
    const { status, headers } = await call;
    expect([status, headers.get("connection")]).toEqual([200, "close"]);
    await rest.served;
    if (!idle.destroyed) await once(idle.resume(), "close");
  });

  it("cancels running calls after the grace period, with an unknown outcome", async () => {
    const { rest, hold, held } = await openGate(0);
    const call = hold();
    await eventually(async () => (await held()) === 1);
    rest.stop.abort();
    expect(await call).toMatchObject({ status: 499, json: { code: "CANCELLED", executed: "unknown" } });
    await rest.served;
  });
});

/** The number of established connections to the gateway's port. */
function connections({ port }: Rest): Promise<number> {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  const lines = readFileSync("/proc/net/tcp", "utf8").split("\n");
  return Promise.resolve(
    lines.filter((line) => new RegExp(`^\\s*\\d+: [0-9A-F]{8}:${hex} [^ ]+ 01 `).test(line)).length,
  );
}

describe("a defect", () => {
  it("is reported with an id that the log contains, and without internal details", async () => {
    const rest = await open();
    const { discovery } = await rest.engine.known();
    discovery.servers = () => {
      throw new Error("boom in /home/user/secret.ts");
    };
    const { status, json } = await rest.ask("/api/adapters");
    expect(status).toBe(500);
    expect(json).toMatchObject({ code: "INTERNAL_ERROR", status: 500, executed: "unknown" });
    expect(JSON.stringify(json)).not.toMatch(/boom|\.ts|at .*\d+:\d+|node_modules/);
    expect(rest.logged.find((line) => line.includes(String(json["request_id"])))).toContain("boom");
  });
});

it("reports in /readyz whether the configuration and catalog can be read, without the reason", async () => {
  const rest = await open();
  expect(await rest.ask("/readyz")).toMatchObject({ status: 200, json: { status: "ready" } });
  rest.engine.known = () => Promise.reject(new Error("the disk is gone"));
  const { status, json } = await rest.ask("/readyz", { headers: { authorization: "" } });
  expect([status, json]).toEqual([503, { status: "not ready" }]);
});
