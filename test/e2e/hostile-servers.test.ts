// The gateway between a client and servers that send what no correct server sends.
import { afterEach, describe, expect, it } from "vitest";
import {
  connectGateway,
  createHome,
  type Gateway,
  type Home,
  INITIALIZE,
  spawnGateway,
  testServer,
} from "../support/gateway.js";

let home: Home;
let gateway: Gateway | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
  home.remove();
});

const hostile = (...args: string[]) => ({ name: "hostile", ...testServer("hostile.mjs", ...args) });
const ECHO = { name: "echo", ...testServer("echo.mjs") };
const POLICY = { policy: { confirmation: { mode: "never" } } };

describe("a client", () => {
  it("gets increasing and thinned progress for a flood of it", async () => {
    home = createHome({ servers: [hostile()], ...POLICY });
    gateway = await connectGateway(home);
    const seen: number[] = [];
    const count = 5_000;
    const call = { server: "hostile", tool: "many_progress", arguments: { count } };
    const result = await gateway.client.callTool(
      { name: "execute_tool", arguments: call },
      { onprogress: ({ progress }) => void seen.push(progress) },
    );
    expect(result.isError).not.toBe(true);
    expect(seen.length).toBeGreaterThan(10);
    expect(seen.length).toBeLessThan(count / 10);
    expect(seen).toEqual([...new Set(seen)].toSorted((one, other) => one - other));
  });

  it("gets a response to each request with an unknown top-level member", async () => {
    home = createHome({ servers: [ECHO] });
    const raw = spawnGateway(home);
    raw.send(INITIALIZE);
    await raw.answer(0);
    raw.send({ id: 1, method: "ping", extra: true });
    raw.send({ id: 2, method: "tools/list", params: {}, traceparent: "00-1" });
    raw.send({ id: 3, method: "tools/call", params: { name: "list_mcp_servers", arguments: {} }, x: { y: 1 } });
    raw.send({ id: 4, method: "ping", result: {} });
    expect((await raw.answer(1)).result).toEqual({});
    expect((await raw.answer(2)).result).toHaveProperty("tools");
    expect((await raw.answer(3)).result).toHaveProperty("content");
    expect((await raw.answer(4)).error).toMatchObject({ code: -32600 });
    raw.process.stdin.end();
    expect(await raw.exit).toBe(0);
  });

  it("uses the other servers while one server has a list of 900 MiB", async () => {
    home = createHome({ servers: [hostile("big-pages", "9", "100"), ECHO] });
    gateway = await connectGateway(home);
    const listed = await gateway.call("list_tools", { server: "hostile" });
    expect(listed.text).toContain("small0");
    expect(listed.text).not.toContain("big0");
    const echo = { server: "echo", tool: "echo", arguments: { text: "still here" } };
    expect((await gateway.call("execute_tool", echo)).text).toContain("still here");
  });
});
