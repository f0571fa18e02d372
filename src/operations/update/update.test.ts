import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkForUpdate } from "./check-update.js";
import { isNewer, takeUpdateNotice } from "./update-notice.js";
import { DAY_MS, readUpdateState, writeUpdateState } from "./update-state.js";

let folder: string;
let requests: string[];
let answer: { readonly status: number; readonly text: string };
const server = createServer((request, response) => {
  requests.push(request.url ?? "");
  response.writeHead(answer.status).end(answer.text);
});
let registry: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "anygpt-update-"));
  requests = [];
  answer = { status: 200, text: '{"latest":"99.1.0","next":"100.0.0"}' };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}/npm/`;
});
afterEach(async () => {
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
  rmSync(folder, { recursive: true, force: true });
});

const NOW = Date.parse("2026-01-02T00:00:00Z");
const check = (more: object = {}, env: Record<string, string> = { npm_config_registry: registry }) =>
  checkForUpdate({ stateFolder: folder, env: { HOME: folder, ...env }, isWanted: true, now: () => NOW, ...more });
const take = (now = NOW, env: Record<string, string> = {}) =>
  takeUpdateNotice({ env: { ANYGPT_HOME: folder, ...env }, cwd: folder, version: "1.2.3", now });

describe("checkForUpdate", () => {
  it("queries the dist-tags of the configured registry once a day", async () => {
    await check();
    await check();
    expect(requests).toEqual(["/npm/-/package/@anygpt%2fdiscovery/dist-tags"]);
    expect(await readUpdateState(folder)).toEqual({ checkedAt: NOW, latest: "99.1.0" });
    await check({ now: () => NOW + DAY_MS });
    expect(requests).toHaveLength(2);
  });

  it.each([
    ["registry", (url: string) => `registry=${url}\n`],
    ["the registry of the scope", (url: string) => `registry=http://127.0.0.1:1/\n@anygpt:registry = "${url}"\n`],
  ])("reads %s from the user's npmrc", async (_name, text) => {
    writeFileSync(join(folder, ".npmrc"), text(registry));
    await check({}, {});
    expect(requests).toHaveLength(1);
  });

  it("uses the default registry of npm if none is configured", async () => {
    const npm = join(folder, "npm");
    writeFileSync(npm, `#!/bin/sh\n[ "$1 $2 $3" = "config get registry" ] && echo "${registry}"\n`, { mode: 0o755 });
    await check({}, { PATH: folder });
    expect(requests).toHaveLength(1);
  });

  it.each([
    ["an HTTP error", { status: 503, text: "" }],
    ["an answer that is not JSON", { status: 200, text: "<html>" }],
    ["an invalid version", { status: 200, text: '{"latest":"\\u001b[31m"}' }],
  ])("ignores %s and waits a day", async (_name, invalid) => {
    answer = invalid;
    await check();
    await check();
    expect(requests).toHaveLength(1);
    expect(await readUpdateState(folder)).toEqual({ checkedAt: NOW });
  });

  it("keeps the known version if the registry is unreachable", async () => {
    await writeUpdateState(folder, { checkedAt: NOW - DAY_MS, latest: "99.0.0" });
    await check({}, { npm_config_registry: "http://127.0.0.1:1/" });
    expect(await readUpdateState(folder)).toEqual({ checkedAt: NOW, latest: "99.0.0" });
  });

  it.each(["ANYGPT_NO_UPDATE_NOTIFIER", "NO_UPDATE_NOTIFIER", "CI"])("sends no request with %s", async (name) => {
    await check({}, { npm_config_registry: registry, [name]: "1" });
    expect(requests).toEqual([]);
  });

  it("sends no request and deletes its state if the configuration disables the notice", async () => {
    await writeUpdateState(folder, { checkedAt: 0, latest: "99.0.0" });
    await check({ isWanted: false });
    expect(requests).toEqual([]);
    expect(await readUpdateState(folder)).toBeUndefined();
  });
});

describe("takeUpdateNotice", () => {
  it("reports a newer version once a day", async () => {
    await writeUpdateState(folder, { checkedAt: NOW, latest: "1.10.0" });
    expect(await take()).toBe(
      "Version 1.10.0 of @anygpt/discovery is available, this is 1.2.3: npm install -g @anygpt/discovery",
    );
    expect(await take(NOW + DAY_MS - 1)).toBeUndefined();
    expect(await take(NOW + DAY_MS)).toContain("1.10.0");
  });

  it.each(["1.2.3", "1.2.2", "0.9.9"])("does not report version %s", async (latest) => {
    await writeUpdateState(folder, { checkedAt: NOW, latest });
    expect(await take()).toBeUndefined();
  });

  it("reports nothing if it is disabled, or if the state file is invalid", async () => {
    await writeUpdateState(folder, { checkedAt: NOW, latest: "9.0.0" });
    expect(await take(NOW, { NO_UPDATE_NOTIFIER: "1" })).toBeUndefined();
    writeFileSync(join(folder, "update.json"), "{");
    expect(await take()).toBeUndefined();
  });

  it("compares version numbers numerically", () => {
    expect(isNewer("0.10.0", "0.9.9")).toBe(true);
    expect(isNewer("1.0.0", "1.0.0-beta.1")).toBe(false);
  });
});
