import type { DiscoveryReport, ReportedNeed } from "../../../discover/discover.js";
import type { FileOutcome } from "../../../discover/write-files.js";
import { padToWidth } from "../../../terminal/columns.js";
import { summarize } from "../../../search/summary.js";
import { shortenHome } from "../../../util/home-path.js";
import { displayWidth, sanitize } from "../../../util/terminal.js";
import { cutAtWord, toOneLine } from "../../../util/text.js";
import { cliHint, reasonLine } from "../failure.js";
import {
  BAD,
  blocks,
  bold,
  count,
  dim,
  GOOD,
  line,
  type Line,
  quoted,
  type Styled,
  verbatim,
  WARNING,
} from "../../../terminal/lines.js";
import { revealedName } from "../../../terminal/reveal.js";
import { runLine } from "../toolfiles/file-lines.js";

export interface ReportView {
  readonly kind: "written" | "check" | "dry-run";
  readonly home: string;
  readonly cwd: string;
  /** Maximum width of tables. */
  readonly columns: number;
}

const TITLES: Readonly<Record<ReportView["kind"] | "failed", string>> = {
  written: "MCP Discovery Complete",
  failed: "MCP Discovery Incomplete",
  check: "MCP Discovery Check",
  "dry-run": "MCP Discovery (nothing was written)",
};

export function discoveryReportLines(report: DiscoveryReport, view: ReportView): Line[] {
  const { files, needs, target } = report;
  const isFailed = files.some(({ done }) => done === "failed");
  const present = files.filter(({ kind }) => kind !== "vanished" && kind !== "refused");
  return blocks([
    [line(0, bold(`## ${TITLES[isFailed ? "failed" : view.kind]}: ${target.name}`))],
    present.length === 0 ? [] : [line(0, bold("### Discovered Tools"))],
    tableLines(present, view.columns),
    changeLines(report),
    summaryLines(report, view),
    view.kind === "check" ? [] : configurationLines(needs),
    view.kind === "check" || isFailed ? [] : usageLines(present.filter(isUsable)),
  ]);
}

/** Whether the gateway can use the file: it was or will be written, or exists and is not rejected. */
function isUsable({ write, existing }: FileOutcome): boolean {
  return write !== undefined || (existing !== undefined && existing.trust !== "none");
}

const WIDEST = 100;
const NARROWEST_TEXT = 16;

function tableLines(files: readonly FileOutcome[], columns: number): Line[] {
  if (files.length === 0) return [];
  const first = Math.max("Tool ID".length, ...files.map(({ toolId }) => toolId.length));
  const room = Math.min(columns, WIDEST) - first - "|  |  |".length;
  if (room < NARROWEST_TEXT) {
    return files.flatMap((file) => [line(0, bold(file.toolId)), line(2, summaryOf(file, WIDEST))]);
  }
  const rows = files.map((file): [string, string] => [file.toolId, summaryOf(file, room)]);
  const second = Math.max("Description".length, ...rows.map(([, text]) => displayWidth(text)));
  const row = ([id, text]: [string, string]): Line =>
    verbatim(0, `| ${padToWidth(id, first)} | ${padToWidth(text, second)} |`);
  return [row(["Tool ID", "Description"]), row(["-".repeat(first), "-".repeat(second)]), ...rows.map(row)];
}

function summaryOf({ description = "" }: FileOutcome, length: number): string {
  const text = toOneLine(sanitize(summarize(description, Math.max(length, NARROWEST_TEXT)))).replaceAll("|", "/");
  return displayWidth(text) <= length ? text : cutAtWord(text, Math.floor(length / 2));
}

function changeLines({ files, dropped, truncated }: DiscoveryReport): Line[] {
  const isFirst = files.every(({ kind }) => kind === "new");
  const lines = isFirst
    ? files.flatMap(failureLinesOf)
    : files.filter(({ kind }) => kind !== "unchanged").flatMap(fileLines);
  const more = [
    ...dropped.map(({ name, reason }) => line(0, WARNING, ` The tool ${revealedName(name)} was skipped: ${reason}`)),
    ...(truncated
      ? [line(0, WARNING, " The server has more tools than the limit. The excess tools were skipped.")]
      : []),
  ];
  const all = [...lines, ...more];
  return all.length === 0 ? [] : [line(0, bold("### Changes")), ...all];
}

function fileLines(file: FileOutcome): Line[] {
  const { toolId, differences } = file;
  const advice = adviceFor(file);
  const isOpen = file.done !== "written" && advice !== undefined;
  return [
    line(0, markOf(file), " ", bold(toolId), ` ${wordsFor(file)}`),
    ...differences.map((text) => quoted(2, text)),
    ...(isOpen ? [line(2, dim(advice))] : []),
    ...failureLinesOf(file),
  ];
}

function failureLinesOf({ toolId, failure }: FileOutcome): Line[] {
  return failure === undefined ? [] : [line(0, BAD, ` ${toolId}: ${reasonLine(failure)}`)];
}

const ADVICE: Partial<Record<FileOutcome["kind"], string>> = {
  edited:
    "The file was not changed. --force overwrites it with the server's definition; `anygpt mcp sign` keeps and signs your version.",
  conflict: "The file was not changed. --force overwrites it with the server's definition.",
  vanished: "--prune deletes the tool file.",
  refused: "The server's definition cannot be written as a tool file.",
};

/** What the user can do about the file. The error of a rejected file has a more specific hint. */
function adviceFor({ kind, existing }: FileOutcome): string | undefined {
  const refusal = kind === "edited" ? existing?.refusal : undefined;
  const hint = refusal === undefined ? undefined : cliHint(refusal);
  if (hint === undefined) return ADVICE[kind];
  return `The file was not changed. ${hint} --force overwrites it with the server's definition.`;
}

function editedWords({ existing, version }: FileOutcome): string {
  if (existing?.trust === "hash") return `is not signed (${version})`;
  const { reason } = existing ?? {};
  return reason === undefined || reason === "tampered" ? `was edited by hand (${version})` : `is rejected: ${reason}`;
}

function wordsFor(file: FileOutcome): string {
  const { kind, version, previousVersion, done } = file;
  switch (kind) {
    case "new":
      return `is new (${version})`;
    case "changed":
      return previousVersion === undefined || previousVersion === version
        ? `is replaced (${version})`
        : `has changed: ${previousVersion} → ${version}`;
    case "unchanged":
      return `is unchanged (${version})`;
    case "edited":
      return editedWords(file);
    case "conflict":
      return "was edited by hand and has also changed on the server";
    case "vanished":
      return done === "removed"
        ? "no longer exists on the server, and its file was deleted"
        : "no longer exists on the server";
    case "refused":
      return "cannot be written";
  }
}

function markOf({ kind, done }: FileOutcome): Styled {
  if (done === "failed") return BAD;
  return kind === "edited" || kind === "conflict" || kind === "refused" || kind === "vanished" ? WARNING : GOOD;
}

function summaryLines({ target, files, folder, key, isDrift }: DiscoveryReport, { kind, home }: ReportView): Line[] {
  const where = shortenHome(folder, home);
  if (kind === "check") {
    if (!isDrift) return [line(0, GOOD, ` The tool files of ${target.name} in ${where} match the server.`)];
    return [line(0, BAD, ` The tool files of ${target.name} in ${where} differ from the server.`)];
  }
  const written = files.filter(({ done }) => done === "written").length;
  const unchanged = files.filter((file) => file.kind === "unchanged").length;
  const wouldBe = files.filter(({ write }) => write !== undefined).length;
  if (kind === "dry-run") return [`${count(wouldBe, "file")} would be written to ${where}.`];
  const rest = unchanged === 0 ? "" : `${count(unchanged, "file")} unchanged.`;
  const failed = files.filter(({ done }) => done === "failed").length;
  const lost = failed === 0 ? [] : [line(0, BAD, ` ${count(failed, "file")} could not be written to ${where}.`)];
  if (written === 0 && failed > 0) return lost;
  if (written === 0) return [line(0, GOOD, ` Nothing was written. ${rest}`.trimEnd())];
  return [
    ...lost,
    line(0, GOOD, ` ${count(written, "file")} written to ${where}. ${rest}`.trimEnd()),
    ...(key === undefined ? [] : [line(2, `Signed with the key ${key.keyId} (${key.name}).`)]),
    ...(key?.isNew === true ? [line(2, NEW_KEY)] : []),
  ];
}

const NEW_KEY =
  "This key was just created. Its private key stays on this machine; `anygpt mcp keys export` prints the public key for others.";

function configurationLines(needs: readonly ReportedNeed[]): Line[] {
  if (needs.length === 0) return ["No authentication required."];
  const missing = needs.filter(({ isSet }) => !isSet);
  if (missing.length === 0) {
    const names = needs.map(({ name }) => name).join(" and ");
    return [line(0, GOOD, ` ${names} ${needs.length === 1 ? "is" : "are"} set.`)];
  }
  return blocks([
    [line(0, bold("### Configuration Required"))],
    ["Add the following to `.ai/.env`:"],
    missing.map(({ name }) => verbatim(2, `${name}=your_api_key_here`)),
    [
      ...missing.flatMap(({ name, page, required }) => [
        ...(page === undefined ? [] : [`Get ${name} from: ${page}`]),
        ...(required ? [] : [`${name} is optional.`]),
      ]),
      line(0, dim("The .ai/.env of a project is used only after you trust it with `anygpt mcp config trust`.")),
    ],
  ]);
}

function usageLines(files: readonly FileOutcome[]): Line[] {
  const [first] = files;
  if (first === undefined) return [];
  return blocks([
    [line(0, bold("### Usage"))],
    [verbatim(2, runLine(first.toolId, first.write ?? first.existing?.file))],
    [`Agents can find and run ${files.length === 1 ? "it" : "them"} through the gateway.`],
  ]);
}
