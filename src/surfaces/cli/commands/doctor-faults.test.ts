import { afterEach, expect, it } from "vitest";
import { type CliPlace, createCliPlace } from "../../../../test/support/cli.js";
import { testServer } from "../../../../test/support/gateway.js";

const places: CliPlace[] = [];
const createPlace = (config: object): CliPlace => {
  const place = createCliPlace(config);
  places.push(place);
  return place;
};
afterEach(() => {
  for (const place of places.splice(0)) place.remove();
});

it("shows how many faulty messages a server sent", async () => {
  const place = createPlace({
    servers: [
      { name: "noisy", ...testServer("hostile.mjs", "noisy-start") },
      { name: "echo", ...testServer("echo.mjs") },
    ],
  });
  const { stdout, exit } = await place.run("mcp", "doctor");
  expect(exit).toBe(0);
  expect(stdout).toMatch(/✓ noisy .*\n {2}! Lines on standard output that are not MCP messages: 2\n/);
  const { servers } = (await place.run("mcp", "doctor", "--json")).json() as { servers: object[] };
  expect(servers).toMatchObject([{ server: "noisy", faultyMessages: { notJson: 2 } }, { server: "echo" }]);
  expect(servers[1]).not.toHaveProperty("faultyMessages");
});

it("names the definitions that are too large", async () => {
  const place = createPlace({ servers: [{ name: "big", ...testServer("hostile.mjs", "big-pages", "9", "100") }] });
  const { stdout } = await place.run("mcp", "doctor");
  expect(stdout).toContain("The tool big0 is not used: its definition has over 256 KiB");
  expect(stdout).toContain("The server has more tools than the limits allow.");
});
