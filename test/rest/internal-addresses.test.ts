import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DiscoveryError } from "../../src/errors.js";
import { createGuardedFetch, type GuardedFetch } from "../../src/util/net/guarded-fetch.js";
import { internalAddressForms } from "./internal-address-forms.js";
import { json, listen, type Loopback } from "./loopback.js";
import { open, toCall, toOperation } from "./session.js";

let trap: Loopback;
let place: string;
let connected: string[] = [];
const opened: { close(): unknown }[] = [];

/** Every socket that this process has connected. */
function watch(message: unknown): void {
  const { socket } = message as { socket: Socket };
  socket.once("connect", () => connected.push(`${socket.remoteAddress}:${socket.remotePort}`));
}

beforeEach(async () => {
  trap = await listen();
  place = mkdtempSync(join(tmpdir(), "internal-"));
  connected = [];
  subscribe("net.client.socket", watch);
});
afterEach(async () => {
  unsubscribe("net.client.socket", watch);
  for (const each of opened.splice(0)) each.close();
  await trap.stop();
  rmSync(place, { recursive: true });
});

function guard(...args: Parameters<typeof createGuardedFetch>): GuardedFetch {
  const guarded = createGuardedFetch(...args);
  opened.push(guarded);
  return guarded;
}

const LIMITS = { timeoutMs: 5_000, maxTotalMs: 5_000, maxBytes: 1_000_000, redirect: "follow" } as const;
const ask = { method: "GET", headers: {}, ...LIMITS };

function failureOf(work: Promise<unknown>): Promise<DiscoveryError> {
  return work.then(
    () => {
      throw new Error("The request was sent.");
    },
    (error: unknown) => {
      expect(error).toBeInstanceOf(DiscoveryError);
      return error as DiscoveryError;
    },
  );
}

describe("internal addresses", () => {
  it("are at least eighty", () => {
    expect(new Set(internalAddressForms(80)).size).toBeGreaterThanOrEqual(80);
  });

  it("are not connected to if the user did not configure them", async () => {
    const guarded = guard({ server: "api", allowInternal: [] });
    for (const form of internalAddressForms(trap.port)) {
      if (!URL.canParse(form)) continue;
      const error = await failureOf(guarded.fetch({ ...ask, url: new URL(form) }));
      expect([form, error.code, error.executed]).toEqual([form, "SERVER_CONNECTION_ERROR", "no"]);
    }
    expect([connected.length, trap.connections()]).toEqual([0, 0]);
  });

  it("are not connected to when a document names them", async () => {
    const document = join(place, "api.json");
    writeFileSync(document, "{}");
    for (const form of internalAddressForms(trap.port)) {
      const convert = () => Promise.resolve({ tools: [], dropped: [], truncated: false, baseUrl: form });
      const session = await open({ document }, { convert });
      opened.push(session);
      const error = await failureOf(session.callTool(toCall(toOperation())));
      expect([form, error.executed]).toEqual([form, "no"]);
    }
    expect([connected.length, trap.connections()]).toEqual([0, 0]);
  });

  it("are not connected to through a redirect, even from a configured internal address", async () => {
    const forms = internalAddressForms(trap.port);
    const api = await listen((received, response) => {
      const location = forms[Number(received.url.slice(1))] ?? "";
      response
        .writeHead(302, { location: Buffer.from(location.trim().replace(/[\t\n]/g, "")).toString("latin1") })
        .end();
    });
    const guarded = guard({ server: "api", allowInternal: [api.origin, trap.origin] });
    for (const index of forms.keys()) {
      const error = await failureOf(guarded.fetch({ ...ask, url: new URL(`/${index}`, api.origin) }));
      expect([forms[index], error.code]).toEqual([forms[index], "SERVER_CONNECTION_ERROR"]);
    }
    expect(connected.filter((to) => to !== `127.0.0.1:${api.port}`)).toEqual([]);
    expect(trap.connections()).toBe(0);
    await api.stop();
  });

  it.each([
    ["a name", ["127.0.0.1"]],
    ["a name with an IPv6 address", ["::1"]],
    ["a name with a public and a private address", ["93.184.216.34", "10.0.0.1"]],
    ["a name with a mapped address", ["::ffff:127.0.0.1"]],
    ["a name of a cloud metadata service", ["169.254.169.254"]],
  ])("are not connected to through %s", async (_, addresses) => {
    const lookup = () =>
      Promise.resolve(addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })));
    const guarded = guard({ server: "api", allowInternal: [], lookup });
    const url = new URL(`https://api.example.com:${trap.port}/`);
    expect((await failureOf(guarded.fetch({ ...ask, url }))).message).toContain(
      "resolves to an address of this machine",
    );
    expect([connected.length, trap.connections()]).toEqual([0, 0]);
  });

  it("are not reachable by a name whose address changes after the check: it is resolved once", async () => {
    let asked = 0;
    const lookup = () => Promise.resolve([{ address: asked++ === 0 ? "198.51.100.1" : "127.0.0.1", family: 4 }]);
    const guarded = guard({ server: "api", allowInternal: [], lookup });
    await failureOf(guarded.fetch({ ...ask, url: new URL(`https://api.example.com:${trap.port}/`) }));
    await failureOf(guarded.fetch({ ...ask, url: new URL(`https://api.example.com:${trap.port}/`) }));
    expect([asked, connected.length, trap.connections()]).toEqual([2, 0, 0]);
  });

  it("of cloud metadata are blocked even for a name that the user configured", async () => {
    const lookup = () => Promise.resolve([{ address: "169.254.169.254", family: 4 }]);
    const guarded = guard({ server: "api", allowInternal: ["http://box.example"], lookup });
    await failureOf(guarded.fetch({ ...ask, url: new URL("http://box.example/") }));
    expect(connected).toEqual([]);
  });

  it("are connected to if the user configured exactly this origin, by number or by name", async () => {
    const lookup = () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]);
    const named = `http://box.example:${trap.port}`;
    const guarded = guard({ server: "api", allowInternal: [trap.origin, named], lookup });
    trap.reply = json({ ok: true });
    for (const origin of [trap.origin, named]) {
      const response = await guarded.fetch({ ...ask, url: new URL("/x", origin) });
      expect(response.status).toBe(200);
      for await (const _ of response.body);
    }
    await failureOf(guarded.fetch({ ...ask, url: new URL(`http://127.0.0.1:${trap.port + 1}/`) }));
    expect(new Set(connected)).toEqual(new Set([`127.0.0.1:${trap.port}`]));
  });
});
