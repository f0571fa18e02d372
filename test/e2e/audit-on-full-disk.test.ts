import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ANYGPT, connectGateway, createHome, type Home, testServer } from "../support/gateway.js";

let home: Home;
beforeAll(async () => {
  home = createHome({ servers: { echo: testServer("echo.mjs") } });
  const gateway = await connectGateway(home);
  await gateway.call("execute_tool", { server: "echo", tool: "echo", arguments: { text: "x" } });
  await gateway.close();
});
afterAll(() => home.remove());

// With this limit, no file of the process can grow, as on a full disk.
it.skipIf(process.platform === "win32")("verifies and shows the audit log while no file can be written", () => {
  rmSync(join(home.folder, "state", "store.db-shm"), { force: true });
  const run = (...words: string[]): ReturnType<typeof spawnSync> =>
    spawnSync(
      "sh",
      [
        "-c",
        'ulimit -f 0 && exec "$0" "$@"',
        process.execPath,
        ANYGPT,
        "mcp",
        "audit",
        ...words,
        "--config",
        home.config,
      ],
      { env: { ...home.env, ANYGPT_DAEMON: "0" }, cwd: home.folder, encoding: "utf8" },
    );
  const verified = run("--verify", "--json");
  expect({ status: verified.status, stderr: verified.stderr }).toEqual({ status: 0, stderr: "" });
  expect(JSON.parse(String(verified.stdout))).toMatchObject({ whole: true, records: 1, findings: [] });
  expect(JSON.parse(String(run("--json").stdout))).toMatchObject({
    records: [{ tool_id: "echo:echo", outcome: "ok" }],
  });
});
