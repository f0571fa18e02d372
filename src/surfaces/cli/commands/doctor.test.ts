import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace } from "../../../../test/support/cli.js";
import { testServer } from "../../../../test/support/gateway.js";

const places: CliPlace[] = [];
const createPlace = (config?: object): CliPlace => {
  const place = createCliPlace(config);
  places.push(place);
  return place;
};
afterEach(() => {
  for (const place of places.splice(0)) place.remove();
});

const FILE = ".anygpt/mcp-discovery.config.json";

describe("doctor", () => {
  it("starts each server once, and shows problems and fixes", async () => {
    const place = createPlace({
      servers: [
        { name: "echo", ...testServer("echo.mjs") },
        { name: "bad", ...testServer("faulty.mjs", "bad-tools") },
        { name: "broken", ...testServer("faulty.mjs", "exit-now") },
        { name: "unset", command: "x", args: ["${ANYGPT_TEST_UNSET}"] },
      ],
    });
    const { exit, stdout } = await place.run("mcp", "doctor");
    expect(exit).toBe(3);
    expect(stdout).toContain(
      `✓ configuration: ${join(place.folder, FILE)}\n✓ state folder: ${join(place.folder, "state")}\n`,
    );
    expect(stdout).toMatch(/^✓ node: \d+/);
    expect(stdout).toMatch(/\n✓ echo \(15 tools, \d+ ms\)\n/);
    expect(stdout).toMatch(/✓ bad \(\d+ tools?, .*\)\n {2}! The tool .* is not used: /);
    expect(stdout).toMatch(
      /✗ broken failed\n {2}broken exited with code 7: "no database configured"\.\n {2}Run .*\n(?! {2}stderr)/,
    );
    expect(stdout).toMatch(
      /✗ unset failed\n {2}The variable ANYGPT_TEST_UNSET is not set\.\n {2}Set the environment variable ANYGPT_TEST_UNSET/,
    );
    expect(stdout).toMatch(/\n\n✗ 2 of 4 servers failed \(\d+\.\d s\)\.\n$/);
  });

  it("checks only the named servers, and exits with 0 if they work", async () => {
    const place = createPlace({
      servers: [
        { name: "echo", ...testServer("echo.mjs") },
        { name: "broken", ...testServer("faulty.mjs", "exit-now") },
      ],
    });
    const ran = await place.run("mcp", "doctor", "echo", "--json");
    expect(ran.exit).toBe(0);
    expect(ran.json()).toMatchObject({ servers: [{ server: "echo", status: "ok", tools: 15, era: "legacy" }] });
    expect(await place.run("mcp", "doctor", "ecko")).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("Did you mean echo?") as string,
    });
  });

  it("reports an unusable state folder and an invalid source", async () => {
    const place = createPlace({ sources: [{ type: "custom", path: "more.yaml" }] });
    place.write(".anygpt/more.yaml", "servers: 3\n");
    const blocked = place.write("file", "");
    chmodSync(blocked, 0o600);
    const { exit, stdout } = await place.runWith({ env: { ANYGPT_HOME: join(blocked, "state") } }, "mcp", "doctor");
    expect(exit).toBe(3);
    expect(stdout).toMatch(/✗ source: .*more\.yaml:1:\d+: servers: must be a map/);
    expect(stdout).toMatch(
      /✗ state folder: .* cannot be written \(ENOTDIR\); correct its permissions or set ANYGPT_HOME/,
    );
    expect(stdout).toContain("No server is configured. Add one with `anygpt mcp add NAME -- COMMAND`.\n");
  });

  it("checks the store and the permissions of the keys", async () => {
    const place = createPlace({ servers: [{ name: "echo", ...testServer("echo.mjs") }] });
    const state = join(place.folder, "state");
    const before = await place.run("mcp", "doctor", "echo");
    expect(before.stdout).toContain(`\n✓ store: ${join(state, "store.db")} (created with the first call)\n\n`);
    await place.run("mcp", "execute", "echo", "pid");
    const after = await place.run("mcp", "doctor", "echo");
    expect(after.exit).toBe(0);
    expect(after.stdout).toContain(`\n✓ store: ${join(state, "store.db")}\n✓ key: ${join(state, "audit.key")}\n`);

    chmodSync(join(state, "audit.key"), 0o644);
    // A new file: a connection of this process that is still being freed would write to the old one.
    for (const suffix of ["", "-wal", "-shm"]) rmSync(join(state, `store.db${suffix}`), { force: true });
    place.write("state/store.db", "no database at all, and longer than a header ".repeat(20));
    const { exit, stdout } = await place.run("mcp", "doctor", "echo");
    expect(exit).toBe(3);
    expect(stdout).toMatch(/\n✗ store: .*store\.db cannot be used: \S.*\. \S.*\n/);
    expect(stdout).toContain(
      `\n✗ key: ${join(state, "audit.key")} can be read by other users (mode 0644); run \`chmod 600 '${join(state, "audit.key")}'\`\n`,
    );
  });

  it("exits with 3 when a source has entries that cannot be used", async () => {
    const place = createPlace({ sources: [{ type: "custom", path: "more.yaml" }] });
    const echo = JSON.stringify(testServer("echo.mjs"));
    place.write(".anygpt/more.yaml", `servers:\n  echo: ${echo}\n  bad: {}\n  worse: {url: x}\n`);
    const { exit, stdout } = await place.run("mcp", "doctor");
    expect(exit).toBe(3);
    expect(stdout).toMatch(
      /\n✗ source: .*more\.yaml:3:\d+: servers\.bad: .*\n✗ source: .*more\.yaml:4:\d+: servers\.worse/,
    );
    expect(stdout).toContain("✓ echo (");
    const ran = await place.run("mcp", "doctor", "--json");
    expect(ran.exit).toBe(3);
    expect(ran.json()).toMatchObject({
      checks: expect.arrayContaining([expect.objectContaining({ name: "source", status: "failed" })]) as unknown[],
    });
  });
});
