import { expect, it } from "vitest";
import { displayWidth } from "../../util/terminal.js";
import type { WaitedServer } from "../../operations/servers/waited-servers.js";
import { createChangeLines, viewLines } from "./server-view.js";

const pending = (name: string, phase: "queued" | "installing" | "starting", forMs = 0, isProgressing = true) =>
  ({ name, kind: "pending", start: { name, phase, forMs, isProgressing } }) as const;
const SERVERS: WaitedServer[] = [
  { name: "memory", kind: "answered", tools: 14 },
  pending("github", "installing", 12_300),
  {
    name: "jira",
    kind: "failed",
    reason: "jira ended with code 1.\n\u001b[2JError: JIRA_TOKEN is not set in the environment",
  },
  pending("files", "starting"),
  pending("a-server-with-a-very-long-name-indeed", "starting", 11_000, false),
  pending("later", "queued"),
  { name: "one", kind: "answered", tools: 1 },
];
const MANY = [
  ...SERVERS,
  ...Array.from({ length: 15 }, (_, at) => ({ name: `s${at}`, kind: "answered", tools: at }) as const),
];

it.each([60, 80, 120])("shows how far servers are in %i columns", (columns) => {
  const rows = viewLines(SERVERS, columns);
  expect(rows.every((row) => displayWidth(row) <= columns)).toBe(true);
  expect(rows.join("\n")).toMatchSnapshot();
});

it("never takes more than ten lines", () => {
  const rows = viewLines(MANY, 80);
  expect(rows.length).toBeLessThanOrEqual(10);
  expect(rows.at(0)).toBe("Waiting for 4 of 22 servers");
  expect(rows.at(-1)).toBe("  … and 15 more: 15 answered");
});

it("writes a plain line for each change, and none for the time that passes", () => {
  const lines = createChangeLines();
  expect(lines([pending("a", "starting"), pending("b", "queued"), { name: "c", kind: "answered", tools: 2 }])).toEqual([
    "Waiting for 2 of 3 servers",
    "  a: starting",
  ]);
  expect(lines([pending("a", "starting", 5000), pending("b", "queued")])).toEqual([]);
  expect(lines([{ name: "a", kind: "answered", tools: 14 }, pending("b", "installing")])).toEqual([
    "  a: 14 tools",
    "  b: installing",
  ]);
});
