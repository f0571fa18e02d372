import { expect, it } from "vitest";
import type { ServerConnection } from "../model/server.js";
import { upstreamOptions } from "./options.js";
import { startLimitMs } from "./start-limit.js";

const options = upstreamOptions.parse({});
const stdio = (command: string, ...args: string[]): ServerConnection => ({ kind: "stdio", command, args, env: {} });

it.each<[ServerConnection, number]>([
  [stdio("node"), 30_000],
  [stdio("./npx-like"), 30_000],
  [stdio("npx", "x"), 600_000],
  [stdio("/usr/local/bin/uvx", "x"), 600_000],
  [stdio("C:\\Program Files\\nodejs\\npx.cmd", "x"), 600_000],
  [stdio("NPX.CMD", "x"), 600_000],
  [stdio("cmd", "/c", "npx", "-y", "x"), 600_000],
  [stdio("sh", "-c", "exec npx -y x"), 600_000],
  [stdio("node", "npx"), 30_000],
  [{ kind: "http", url: "http://localhost/npx", headers: {} }, 30_000],
])("gives %j %i ms to become ready", (connection, limitMs) => {
  expect(startLimitMs(connection, options)).toBe(limitMs);
});

it("never gives an installer less time than other commands", () => {
  expect(startLimitMs(stdio("npx", "x"), { ...options, startTimeoutMs: 700_000 })).toBe(700_000);
});
