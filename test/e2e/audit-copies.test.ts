// `audit --verify` on copies of a state folder: one that cannot be written, and one with a damaged file.
import { execFile, spawnSync } from "node:child_process";
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ANYGPT, createHome, type Home, ROOT, testServer } from "../support/gateway.js";

const RECORDS = 30;
let home: Home;
let state: string;

beforeAll(async () => {
  home = createHome({ servers: { echo: testServer("echo.mjs") } });
  state = join(home.folder, "state");
  const lines = Array.from({ length: RECORDS }, (_, index) => `{"text":"${"x".repeat(200)}${index}"}`);
  const script = `
    import { readFileSync } from "node:fs";
    import { openEngine } from ${JSON.stringify(join(ROOT, "dist/index.js"))};
    const engine = openEngine({ configPath: ${JSON.stringify(home.config)} });
    for (const line of readFileSync(0, "utf8").split("\\n")) {
      const answer = await engine.executeTool("echo", "echo", JSON.parse(line));
      if (!answer.success) throw new Error(JSON.stringify(answer));
    }
    await engine.close();`;
  const file = join(home.folder, "calls.mjs");
  writeFileSync(file, script);
  const done = promisify(execFile)(process.execPath, [file], {
    env: home.env,
    cwd: home.folder,
  });
  done.child.stdin?.end(lines.join("\n"));
  await done;
});
afterAll(() => {
  for (const name of readdirSync(home.folder)) chmodSync(join(home.folder, name), 0o700);
  home.remove();
});

function verify(folder: string, user?: { uid: number; gid: number }) {
  const words = [ANYGPT, "mcp", "audit", "--verify", "--json", "--config", home.config];
  const env = { ...home.env, ANYGPT_HOME: folder, TMPDIR: tmpdir() };
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { env, cwd: "/", encoding: "utf8", ...user });
  return { status, stderr, report: JSON.parse(stdout) as Record<string, unknown> };
}

it.skipIf(process.platform === "win32")("verifies a copy that nobody can write, and leaves nothing behind", () => {
  const copy = join(home.folder, "read-only");
  cpSync(state, copy, { recursive: true });
  for (const name of readdirSync(copy))
    chmodSync(join(copy, name), statSync(join(copy, name)).isFile() ? 0o444 : 0o555);
  for (const folder of [home.folder, copy]) chmodSync(folder, 0o555);
  // File modes do not restrict root, so use another user for it.
  const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined;
  const before = readdirSync(copy);
  const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith("anygpt-audit-"));
  const others = left();
  const { status, report } = verify(copy, user);
  expect([status, report]).toEqual([0, expect.objectContaining({ findings: [] })]);
  expect([readdirSync(copy), left().filter((name) => !others.includes(name))]).toEqual([before, []]);
  chmodSync(home.folder, 0o700);
});

it("names the first record in a part of the file that was overwritten", () => {
  const copy = join(home.folder, "wiped");
  cpSync(state, copy, { recursive: true });
  const file = join(copy, "store.db");
  for (const ending of ["-wal", "-shm"]) rmSync(`${file}${ending}`, { force: true });
  const bytes = readFileSync(file);
  const [, size] = [0, bytes.readUInt16BE(16)];
  // The second page with records, so that some records before it remain readable.
  const at = bytes.indexOf('"request_id"', bytes.indexOf('"request_id"') + 2 * size);
  bytes.fill(0, Math.floor(at / size) * size, Math.floor(at / size + 1) * size);
  writeFileSync(file, bytes);
  const { status, report } = verify(copy);
  expect(status).not.toBe(0);
  const [finding] = report["findings"] as { seq: number; reason: string }[];
  expect(finding?.seq).toBeGreaterThan(0);
  expect(finding?.seq).toBeLessThanOrEqual(RECORDS);
  expect(finding?.reason).toContain("cannot be read");
});
