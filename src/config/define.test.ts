import { expect, it } from "vitest";
import { config, defineConfig } from "./define.js";
import type { DiscoveryConfig } from "./discovery-config.js";

it("returns the configuration unchanged, bare or in a shared file", () => {
  const bare: DiscoveryConfig = { servers: { a: { command: "x" } } };
  expect(defineConfig(bare)).toBe(bare);
  const shared = { discovery: bare, models: {} };
  expect(config(shared)).toBe(shared);
});
