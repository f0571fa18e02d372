import { BAD, blocks, bold, count, dim, GOOD, line, type Line, WARNING } from "../lines.js";
import { authOption, describeAuth } from "./auth-words.js";
import type { AdapterPage, NeededVariable } from "./inspect-page.js";

export function inspectLines(page: AdapterPage): Line[] {
  return blocks([
    headLines(page),
    authLines(page),
    ...page.categories.map(({ name, operations }) => [
      line(0, bold(name ?? "Without a category"), ` (${operations.length})`),
      ...operations.map(({ tool, method, path, risk, deprecated, shortened }) =>
        line(2, bold(tool), `: ${method} ${path}`, dim(notes({ risk, deprecated, shortened }))),
      ),
    ]),
    droppedLines(page),
    unmatchedLines(page),
  ]);
}

function headLines({ name, title, version, format, document, baseUrl, operations, truncated }: AdapterPage): Line[] {
  const known = [title, version].filter((word) => word !== null).join(" ");
  const more = truncated ? "; the document has more than are taken" : "";
  return [
    line(0, bold(name), known === "" ? "" : ` (${known})`),
    line(2, `document: ${document} (${format})`),
    line(2, `address: ${baseUrl ?? "not known; set baseUrl"}`),
    line(2, `${count(operations, "operation")}${more}`),
  ];
}

function notes(told: {
  readonly risk: string | null;
  readonly deprecated: boolean;
  readonly shortened: boolean;
}): string {
  const words = [
    ...(told.risk === null ? [] : [`risk ${told.risk}`]),
    ...(told.deprecated ? ["deprecated"] : []),
    ...(told.shortened ? ["schema shortened"] : []),
  ];
  return words.length === 0 ? "" : ` (${words.join(", ")})`;
}

function authLines({ name, auth }: AdapterPage): Line[] {
  const { configured, wanted, variables } = auth;
  const [first] = wanted;
  const option = first === undefined ? undefined : authOption(first, name);
  return [
    line(0, bold("Authentication")),
    line(2, `configured: ${configured ?? "none"}`),
    ...wanted.map((one) => line(2, `the document wants: ${describeAuth(one)}`)),
    ...(configured === null && option !== undefined
      ? [line(2, WARNING, ` nothing is configured; \`--auth ${option}\` would be what \`adapter add\` takes for it`)]
      : []),
    ...variables.map(variableLine),
  ];
}

const MARKS = { set: GOOD, default: dim("-"), missing: BAD } as const;
const WORDS = { set: "set", default: "not set, has a default", missing: "not set" } as const;

export function variableLine({ name, status }: NeededVariable): Line {
  return line(2, MARKS[status], " ", bold(name), `: ${WORDS[status]}`);
}

function droppedLines({ dropped }: AdapterPage): Line[] {
  if (dropped.length === 0) return [];
  return [
    line(0, bold(`Left out (${dropped.length})`)),
    ...dropped.map(({ name, reason }) => line(2, WARNING, ` ${name}: ${reason}`)),
  ];
}

function unmatchedLines({ unmatched }: AdapterPage): Line[] {
  if (unmatched.length === 0) return [];
  return [
    line(0, bold(`About no operation (${unmatched.length})`)),
    ...unmatched.map((pattern) => line(2, WARNING, ` ${pattern}: what \`operations\` says of it counts for nothing`)),
  ];
}
