import { appendFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type CliPlace, createCliPlace } from "../../../../test/support/cli.js";
import { testServer } from "../../../../test/support/gateway.js";

let place: CliPlace;
beforeEach(() => {
  place = createCliPlace({ servers: { echo: testServer("echo.mjs"), far: { url: "https://far.example/mcp" } } });
});
afterEach(() => place.remove());

const row = (number: number): string => `2026-01-01T10:00:0${number}.000Z line ${number}\n`;
const fill = (): string => place.write("state/logs/echo.log", [1, 2, 3].map(row).join(""));

it("shows the number of last lines that -n sets", async () => {
  fill();
  place.write("state/logs/echo.log.1", row(0));
  expect((await place.run("logs", "echo")).stdout).toBe([0, 1, 2, 3].map(row).join(""));
  expect((await place.run("logs", "echo", "-n", "2")).stdout).toBe([2, 3].map(row).join(""));
  expect((await place.run("logs", "echo", "-n", "1", "--json")).json()).toMatchObject({
    server: "echo",
    lines: [{ at: "2026-01-01T10:00:03.000Z", text: "line 3" }],
  });
});

it("follows the file until it is interrupted", async () => {
  const file = fill();
  const stop = new AbortController();
  let seen = "";
  const onOutput = (text: string): void => {
    const before = seen;
    seen += text;
    if (seen.includes("line 3") && !before.includes("line 3")) appendFileSync(file, row(4));
    if (seen.includes("line 4")) stop.abort();
  };
  const ran = await place.runWith({ signal: stop.signal, onOutput }, "logs", "echo", "-n", "1", "-f");
  expect(ran.stdout).toBe(row(3) + row(4));
});

it.each([
  ["ecko", 2, "No server is named", "Did you mean echo?"],
  ["far", 1, "far has no log", "anygpt mcp doctor far"],
])("explains why %s has no log", async (name, exit, message, hint) => {
  const ran = await place.run("logs", name);
  expect(ran.exit).toBe(exit);
  expect(ran.stdout).toBe("");
  expect(ran.stderr).toContain(message);
  expect(ran.stderr).toContain(hint);
});

it("explains why the log is empty", async () => {
  const empty = await place.run("logs", "echo");
  expect(empty).toMatchObject({ exit: 0, stdout: "" });
  expect(empty.stderr).toContain("echo has written nothing to standard error yet.");
  const servers = { echo: testServer("echo.mjs") };
  place.write(".anygpt/mcp-discovery.config.json", { servers, upstreams: { keepLogs: false } });
  expect((await place.run("logs", "echo")).stderr).toContain("Server logs are disabled");
});

it("stores a server's standard error, and nothing with keepLogs: false", async () => {
  const servers = { broken: testServer("faulty.mjs", "exit-now") };
  place.write(".anygpt/mcp-discovery.config.json", { servers, upstreams: { keepLogs: false } });
  await place.run("doctor", "broken");
  expect((await place.run("logs", "broken", "--json")).json()).toMatchObject({ lines: [] });
  place.write(".anygpt/mcp-discovery.config.json", { servers });
  await place.run("doctor", "broken");
  expect((await place.run("logs", "broken")).stdout).toContain("no database configured");
});
