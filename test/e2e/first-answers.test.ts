import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { DiscoveryEngine } from "../../src/engine.js";
import { connectGateway, createHome, testServer } from "../support/gateway.js";

const hanging = { name: "hanging", ...testServer("faulty.mjs", "hang-init") };
const echo = { name: "echo", ...testServer("echo.mjs") };

let stateFolder: string;
beforeEach(() => void (stateFolder = mkdtempSync(join(tmpdir(), "first-answers-"))));
afterEach(() => rmSync(stateFolder, { recursive: true, force: true }));

it("finds a tool with the first search of the library, with an empty cache", async () => {
  const engine = new DiscoveryEngine({ servers: [echo] }, { stateFolder });
  const [best] = await engine.searchTools("add two numbers");
  expect(best).toMatchObject({ server: "echo" });
  expect(await engine.ready()).toEqual({ ready: true, pending: [], failed: [] });
  await engine.close();
});

it("distinguishes a server that is still starting from a missing tool", async () => {
  const engine = new DiscoveryEngine({ servers: [hanging] }, { stateFolder });
  const pending = [{ server: "hanging", phase: "starting", startingForMs: expect.any(Number) as number }];
  const nothing = { fit: "none", results: [], also: [], missing: [] };
  expect(await engine.search("add two numbers", { waitMs: 0 })).toEqual({ ...nothing, pending, failed: [] });
  expect(await engine.ready({ timeoutMs: 1 })).toEqual({ ready: false, pending, failed: [] });
  await engine.close();
});

it("reports to an agent which servers are still starting and when to search again", async () => {
  const home = createHome({ servers: [hanging] });
  const gateway = await connectGateway(home);
  expect((await gateway.call("search_tools", { query: "add two numbers" })).json()).toEqual({
    fit: "none",
    results: [],
    note: "Still starting: hanging. Search again in 5 s.",
    pending: ["hanging"],
    retry_after_seconds: 5,
  });
  expect((await gateway.call("list_mcp_servers", {})).json()).toMatchObject({
    servers: [{ name: "hanging", status: "pending", phase: "starting" }, { name: "anygpt" }],
    retry_after_seconds: 5,
  });
  await gateway.close();
  home.remove();
});
