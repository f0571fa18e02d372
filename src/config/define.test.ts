import { expect, expectTypeOf, it } from "vitest";
import type { z } from "zod";
import { config, defineConfig, type DiscoveryConfig } from "./define.js";
import type { configOptions } from "./options.js";

type Written = z.input<typeof configOptions>;

it("describes to an editor exactly what the schema accepts", () => {
  expectTypeOf<Written>().toExtend<DiscoveryConfig>();
  expectTypeOf<DiscoveryConfig>().toExtend<Written>();
  expectTypeOf<keyof DiscoveryConfig>().toEqualTypeOf<keyof Written>();
  expectTypeOf<keyof NonNullable<DiscoveryConfig["upstreams"]>>().toEqualTypeOf<
    keyof NonNullable<Written["upstreams"]>
  >();
  expectTypeOf<keyof NonNullable<DiscoveryConfig["execution"]>>().toEqualTypeOf<
    keyof NonNullable<Written["execution"]>
  >();
});

it("gives back what it was given, bare or in a shared file", () => {
  const bare: DiscoveryConfig = { servers: { a: { command: "x" } } };
  expect(defineConfig(bare)).toBe(bare);
  const shared = { discovery: bare, models: {} };
  expect(config(shared)).toBe(shared);
});
