import { expect, it } from "vitest";
import { localActor } from "../model/actor.js";
import { createToolUsage } from "./tool-usage.js";

const agent = localActor("mcp");

it("counts the calls of each caller, up to three", () => {
  const usage = createToolUsage();
  expect(usage.of(agent)).toBeUndefined();
  usage.record(agent, "a:b");
  const once = usage.of(agent)?.("a:b") ?? 0;
  for (let call = 0; call < 10; call += 1) usage.record(agent, "a:b");
  expect(once).toBeCloseTo(1 / 3);
  expect(usage.of(agent)?.("a:b")).toBe(1);
  expect(usage.of(agent)?.("a:c")).toBe(0);
});

it("keeps callers apart by id, surface and view", () => {
  const usage = createToolUsage();
  usage.record(agent, "a:b");
  for (const other of [localActor("cli"), { ...agent, id: "jo" }, { ...agent, view: "v" }, undefined])
    expect(usage.of(other)).toBeUndefined();
});

it("forgets the least recently used tools and callers", () => {
  const usage = createToolUsage();
  for (let tool = 0; tool <= 200; tool += 1) usage.record(agent, `a:${tool}`);
  expect([usage.of(agent)?.("a:0"), usage.of(agent)?.("a:1")]).toEqual([0, 1 / 3]);
  for (let other = 0; other < 1_000; other += 1) usage.record({ ...agent, id: `id${other}` }, "a:b");
  expect(usage.of(agent)).toBeUndefined();
});
