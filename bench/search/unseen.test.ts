import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { isTrainingTool, takeUnseen, TRAINING_SETS } from "./unseen.js";

describe("isTrainingTool", () => {
  const tools = [
    ["k8s", "restart_pod", true],
    ["k8s", "list_nodes", false],
    ["github", "create_issue", true],
    ["github", "list_issues", false],
    ["weather", "Wetter für morgen", false],
    ["天气", "查询", true],
  ] as const;

  it.each(tools)("classifies %s:%s as training data: %s", (server, name, taught) => {
    expect(isTrainingTool("metatool", `${server}:${name}`)).toBe(taught);
  });

  it("classifies no tool of the evaluation sets as training data", () => {
    for (const set of ["livemcp-steps", "mcpproxy-golden", "my-own"]) {
      expect(isTrainingTool(set, "k8s:restart_pod")).toBe(false);
    }
  });

  it("has the same rule as train/prepare.mjs", () => {
    const training = readFileSync(new URL("../../train/prepare.mjs", import.meta.url), "utf8");
    const [, rule] = /^export (function isTrainingTool[^]*?\n\})/m.exec(training) ?? [];
    const [, sets] = /^const SPLIT_SETS = (\[[^\]]*\])/m.exec(training) ?? [];
    const fromTraining: unknown = runInNewContext(`(${rule})`, { Buffer });
    const theirs = fromTraining as (tool: { server: string; name: string }) => boolean;
    for (const [server, name, taught] of tools) expect(theirs({ server, name })).toBe(taught);
    expect(JSON.parse(sets ?? "")).toEqual(TRAINING_SETS);
  });
});

describe("takeUnseen", () => {
  const taught = { id: "k8s:restart_pod" };
  const unseen = { id: "k8s:list_nodes" };
  const set = {
    name: "bfcl",
    tools: [],
    queries: [
      { query: "no training tool", relevant: [unseen] },
      { query: "one training tool", relevant: [unseen, taught] },
    ],
    unanswerable: ["frobnicate"],
  };

  it("keeps queries without training tools, and the unanswerable queries", () => {
    expect(takeUnseen(set)).toEqual({ ...set, queries: set.queries.slice(0, 1) });
    expect(takeUnseen({ ...set, name: "livemcp-steps" }).queries).toHaveLength(2);
  });

  it("rejects a set without remaining queries", () => {
    expect(() => takeUnseen({ ...set, queries: set.queries.slice(1) })).toThrow(
      "Every query of bfcl has a relevant tool in the training data of the model.",
    );
  });
});
