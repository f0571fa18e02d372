// Compares the risk of real tools with labels: `npm run bench:risk`. The texts of the tools are not part of this
// repository; ANYGPT_DATA names the folder that has them.
// Options: `--half tuning|held-out|all` (default held-out), `--baseline` (only the earlier rule), `--list` (the errors).
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { JsonObject } from "../../src/model/json.js";
import { assessRisk, isAtLeast, type AssessedRisk, RISKS } from "../../src/policy/risk.js";
import { sha256 } from "../../src/util/sha256.js";

const FILES = ["composio", "docker-mcp-registry", "github-mcp-server", "npm-servers"];
const LABELS = ["read", "change", "dangerous"] as const;
type Label = (typeof LABELS)[number];

interface CorpusTool {
  readonly server: string;
  readonly name: string;
  readonly description?: string;
  readonly annotations?: JsonObject;
}

interface LabelledTool extends CorpusTool {
  readonly label: Label;
}

type Assess = (tool: CorpusTool) => AssessedRisk;

const now: Assess = ({ name, description, annotations }) =>
  assessRisk({ name, description, annotations, isDistrusted: false, unknownRisk: "high" });

/** The rule before the evidence of names: annotations, else high. No tool of the corpus has an HTTP method. */
const before: Assess = ({ annotations }) => {
  const origin = { kind: "annotations", detail: "" } as const;
  if (annotations?.["destructiveHint"] === true) return { risk: "destructive", origin };
  return { risk: annotations?.["readOnlyHint"] === true ? "low" : "high", origin };
};

export function runRiskBench(args: string[], env: NodeJS.ProcessEnv, print: (text: string) => void): void {
  const { values } = parseArgs({
    args,
    options: {
      half: { type: "string", default: "held-out" },
      baseline: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
    },
  });
  const folder = join(env["ANYGPT_DATA"] ?? "../shared/data", "corpus");
  if (!existsSync(folder)) return print(`Skipped: no tools in ${folder}. Set ANYGPT_DATA to the folder with the data.`);
  const tools = readLabelled(folder, values.half);
  print(`${tools.length} labelled tools (${values.half})`);
  const rules: [string, Assess][] = [["before: annotations, else high", before]];
  if (!values.baseline) rules.push(["now: evidence in a fixed order", now]);
  for (const [title, assess] of rules) print(describeTable(title, tools, assess));
  if (values.list) for (const line of listErrors(tools)) print(line);
}

function readLabelled(folder: string, half: string): LabelledTool[] {
  const labels = new Map<string, Label>();
  for (const line of readFileSync("bench/risk/labels.txt", "utf8").split("\n")) {
    const [id = "", part, label] = line.split(" ");
    if (line.startsWith("#") || !isLabel(label)) continue;
    if (half === "all" || part === half) labels.set(id, label);
  }
  const found = new Map<string, LabelledTool>();
  for (const file of FILES) {
    const tools = JSON.parse(readFileSync(join(folder, `${file}.tools.json`), "utf8")) as CorpusTool[];
    for (const tool of tools) {
      const id = sha256([file, tool.server, tool.name].join("\0")).slice(0, 12);
      const label = labels.get(id);
      if (label !== undefined && !found.has(id)) found.set(id, { ...tool, label });
    }
  }
  return [...found.values()];
}

function isLabel(text: string | undefined): text is Label {
  return LABELS.some((label) => label === text);
}

function describeTable(title: string, tools: readonly LabelledTool[], assess: Assess): string {
  const rows = LABELS.map((label) => {
    const ofLabel = tools.filter((tool) => tool.label === label);
    return { label, risks: ofLabel.map((tool) => assess(tool).risk) };
  });
  const count = (label: Label, from: (risk: AssessedRisk["risk"]) => boolean): string => {
    const risks = rows.find((row) => row.label === label)?.risks ?? [];
    const hits = risks.filter(from).length;
    return `${hits} of ${risks.length} (${((100 * hits) / Math.max(1, risks.length)).toFixed(1)} %)`;
  };
  return [
    "",
    title,
    `  ${"label".padEnd(10)}${RISKS.map((risk) => risk.padStart(12)).join("")}`,
    ...rows.map(
      ({ label, risks }) =>
        `  ${label.padEnd(10)}${RISKS.map((risk) => String(risks.filter((one) => one === risk).length).padStart(12)).join("")}`,
    ),
    `  dangerous called low: ${count("dangerous", (risk) => risk === "low")}`,
    `  reading called high or destructive: ${count("read", (risk) => isAtLeast(risk, "high"))}`,
  ].join("\n");
}

function listErrors(tools: readonly LabelledTool[]): string[] {
  return tools.flatMap((tool) => {
    const { risk, origin } = now(tool);
    const isLow = !isAtLeast(risk, "high");
    const isError = tool.label === "read" ? !isLow : tool.label === "dangerous" ? isLow : risk === "low";
    return isError ? [`${tool.label} -> ${risk}: ${tool.server}:${tool.name} (${origin.detail})`] : [];
  });
}
