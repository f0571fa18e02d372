import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DiscoveryEngine } from "../../src/engine.js";
import { type CliPlace, createCliPlace } from "../support/cli.js";
import { connectGateway, createHome, npmServer } from "../support/gateway.js";

// The number of listed tools depends on the declared client capabilities: 13 without any, 17 with all.
const servers = [{ name: "everything", ...npmServer("everything") }];

let place: CliPlace;
beforeAll(() => void (place = createCliPlace({ servers })));
afterAll(() => place.remove());

it("lists the same tools over MCP, in the library and on the command line, and doctor removes none", async () => {
  const home = createHome({ servers });
  const gateway = await connectGateway(home);
  type Tools = { tools: { name: string }[] };
  const names = ({ tools }: Tools): string[] => tools.map(({ name }) => name).sort();
  const overMcp = names((await gateway.call("list_tools", { server: "everything" })).json() as Tools);
  await gateway.close();
  home.remove();

  const stateFolder = mkdtempSync(join(tmpdir(), "same-tools-"));
  const engine = new DiscoveryEngine({ servers }, { stateFolder });
  const inLibrary = (await engine.listTools("everything")).map(({ name }) => name).sort();
  await engine.close();
  rmSync(stateFolder, { recursive: true, force: true });

  const tools = async (): Promise<string[]> =>
    names((await place.run("mcp", "tools", "everything", "--json")).json() as Tools);
  const before = await tools();
  const doctor = await place.run("mcp", "doctor", "--json");

  expect(overMcp.length).toBeGreaterThan(13);
  expect(inLibrary).toEqual(overMcp);
  expect(before).toEqual(overMcp);
  expect(doctor.json()).toMatchObject({ servers: [{ server: "everything", tools: overMcp.length }] });
  expect(await tools()).toEqual(before);
});
