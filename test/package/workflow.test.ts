import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import { ROOT } from "../support/gateway.js";

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly "runs-on": string;
  readonly "timeout-minutes": number;
  readonly strategy?: { readonly matrix: Readonly<Record<string, unknown>>; readonly "fail-fast": boolean };
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const document = parseDocument(readFileSync(join(ROOT, ".github/workflows/ci.yml"), "utf8"), { strict: true });
const workflow = document.toJS() as Workflow;
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: Record<string, string> };
const jobs = Object.values(workflow.jobs);
const commandsOf = ({ steps }: Job): string[] => steps.flatMap(({ run }) => run ?? []);

describe("the workflow of continuous integration", () => {
  it("is valid YAML without warnings", () => {
    expect([...document.errors, ...document.warnings]).toEqual([]);
  });

  it("runs on every pull request and on the main branch, with read access only", () => {
    expect(Object.keys(workflow.on).sort()).toEqual(["pull_request", "push"]);
    expect(workflow.on["push"]).toEqual({ branches: ["main"] });
    expect(workflow.permissions).toEqual({ contents: "read" });
  });

  it("tests three systems with three Node versions each, and reports every combination", () => {
    const { test } = workflow.jobs;
    expect(test?.strategy).toEqual({
      "fail-fast": false,
      matrix: { os: ["ubuntu-latest", "macos-latest", "windows-latest"], node: [20, 22, 24] },
    });
    expect(test?.["runs-on"]).toBe("${{ matrix.os }}");
    expect(test?.steps.find(({ uses }) => uses?.startsWith("actions/setup-node"))?.with).toMatchObject({
      "node-version": "${{ matrix.node }}",
    });
    expect(commandsOf(test as Job)).toEqual(["npm ci", "npm run check", "npm test"]);
  });

  it("runs the long suites on Linux with Node 22 only", () => {
    const { long } = workflow.jobs;
    expect(long?.strategy).toBeUndefined();
    expect(long?.["runs-on"]).toBe("ubuntu-latest");
    expect(long?.steps.find(({ uses }) => uses?.startsWith("actions/setup-node"))?.with).toMatchObject({
      "node-version": 22,
    });
    expect(commandsOf(long as Job)).toEqual([
      "npm ci",
      "npm run test:all -- --project long",
      "npm run faults",
      "npm run conformance",
    ]);
  });

  it("uses official actions only, pinned to a major version, and sets a time limit for every job", () => {
    for (const job of jobs) expect(job["timeout-minutes"]).toBeGreaterThan(0);
    const actions = jobs.flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
    expect(actions.length).toBeGreaterThan(0);
    for (const action of actions) expect(action).toMatch(/^actions\/[a-z-]+@v\d+$/);
  });

  it("names only npm scripts that exist", () => {
    const named = jobs.flatMap(commandsOf).flatMap((command) => /^npm run ([\w:-]+)/.exec(command)?.[1] ?? []);
    expect(named.length).toBeGreaterThan(0);
    for (const name of named) expect(scripts).toHaveProperty([name]);
  });
});
