import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { differingVariables, VOLATILE_NAMES, VOLATILE_PREFIXES } from "./environment.js";

describe("differingVariables", () => {
  it("returns the names of variables that were added, removed or changed, and no values", () => {
    const names = differingVariables({ A: "1", TOKEN: "s3cret", SAME: "x" }, { B: "2", TOKEN: "other", SAME: "x" });
    expect(names).toEqual(["A", "B", "TOKEN"]);
  });

  it("ignores variables that shells and terminals change", () => {
    const one = { PWD: "/a", SHLVL: "1", TERM: "xterm", TERM_SESSION_ID: "1", SSH_TTY: "/dev/pts/1", TMUX_PANE: "%1" };
    expect(differingVariables(one, { _: "/bin/anygpt", COLUMNS: "80" })).toEqual([]);
  });

  it("does not ignore variables that servers may depend on", () => {
    for (const name of ["PATH", "HOME", "LANG", "HTTPS_PROXY", "TERMINAL_TOKEN", "ANYGPT_CONFIG", "NODE_OPTIONS"]) {
      expect(differingVariables({}, { [name]: "x" })).toEqual([name]);
    }
  });
});

it("ignores exactly the variables that the documentation lists", () => {
  const page = readFileSync(new URL("../../docs/how-to/background-gateway.md", import.meta.url), "utf8");
  const list = page.split("<!-- volatile -->")[1] ?? "";
  const named = [...list.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "");
  expect(named.toSorted()).toEqual([...VOLATILE_NAMES, ...VOLATILE_PREFIXES.map((prefix) => `${prefix}*`)].toSorted());
});
