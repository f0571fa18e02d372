import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { hasTaught, takeUnseen, TEACHING_SETS } from "./unseen.js";

describe("hasTaught", () => {
  const tools = [
    ["k8s", "restart_pod", true],
    ["k8s", "list_nodes", false],
    ["github", "create_issue", true],
    ["github", "list_issues", false],
    ["weather", "Wetter für morgen", false],
    ["天气", "查询", true],
  ] as const;

  it.each(tools)("knows of %s:%s that it taught: %s", (server, name, taught) => {
    expect(hasTaught("metatool", `${server}:${name}`)).toBe(taught);
  });

  it("calls no tool of the sets that only judge taught", () => {
    for (const set of ["livemcp-steps", "mcpproxy-golden", "my-own"]) {
      expect(hasTaught(set, "k8s:restart_pod")).toBe(false);
    }
  });

  it("draws the line where the training draws it", () => {
    const training = readFileSync(new URL("../../train/prepare.mjs", import.meta.url), "utf8");
    const [, rule] = /^export (function teaches[^]*?\n\})/m.exec(training) ?? [];
    const [, sets] = /^const SPLIT_SETS = (\[[^\]]*\])/m.exec(training) ?? [];
    const teaches: unknown = runInNewContext(`(${rule})`, { Buffer });
    const theirs = teaches as (tool: { server: string; name: string }) => boolean;
    for (const [server, name, taught] of tools) expect(theirs({ server, name })).toBe(taught);
    expect(JSON.parse(sets ?? "")).toEqual(TEACHING_SETS);
  });
});

describe("takeUnseen", () => {
  const taught = { id: "k8s:restart_pod" };
  const unseen = { id: "k8s:list_nodes" };
  const set = {
    name: "bfcl",
    tools: [],
    queries: [
      { query: "none of them taught", relevant: [unseen] },
      { query: "one of them taught", relevant: [unseen, taught] },
    ],
    unanswerable: ["frobnicate"],
  };

  it("keeps the queries none of whose tools taught, and the unanswerable ones", () => {
    expect(takeUnseen(set)).toEqual({ ...set, queries: set.queries.slice(0, 1) });
    expect(takeUnseen({ ...set, name: "livemcp-steps" }).queries).toHaveLength(2);
  });

  it("refuses a set of which nothing is left", () => {
    expect(() => takeUnseen({ ...set, queries: set.queries.slice(1) })).toThrow(
      "Every query of bfcl has a tool that taught the model.",
    );
  });
});
