import type { Stages } from "../../../compose.js";
import type { Handler } from "../command.js";
import { adaptersOf } from "../adapters/find-adapter.js";
import { neededVariables } from "../adapters/inspect-page.js";
import { BAD, bold, count, GOOD, line, type Line, WAITING } from "../lines.js";
import { openCatalog, withEngine } from "../session.js";

export const listAdapters: Handler = (_input, context) =>
  withEngine(context, async (engine) => {
    const adapters = toListed(await openCatalog(engine));
    if (context.isJson) context.json({ adapters });
    else context.show(listLines(adapters));
    return 0;
  });

/** One adapter as far as it is known without reading its document. */
interface ListedAdapter {
  readonly name: string;
  readonly title: string | null;
  readonly document: string;
  readonly baseUrl: string | null;
  readonly auth: string | null;
  readonly missingVariables: readonly string[];
  /** Null while nobody has read the document. */
  readonly tools: number | null;
  readonly dropped: number;
  readonly failure: string | null;
}

function toListed(stages: Stages): ListedAdapter[] {
  const { servers } = stages.snapshot();
  return adaptersOf(stages).map((adapter) => {
    const { name, connection, facts } = adapter;
    const known = servers.get(name);
    const missing = neededVariables(adapter, stages.variables).filter(({ status }) => status === "missing");
    return {
      name,
      title: facts?.title ?? known?.record?.title ?? null,
      document: connection.document,
      baseUrl: connection.baseUrl ?? null,
      auth: connection.auth?.kind ?? null,
      missingVariables: missing.map((variable) => variable.name),
      tools: known?.record === undefined ? null : known.tools.length,
      dropped: known?.record?.dropped.length ?? 0,
      failure: known?.failure?.message ?? null,
    };
  });
}

function listLines(adapters: readonly ListedAdapter[]): Line[] {
  if (adapters.length === 0) {
    return [line(0, "There are no adapters. `anygpt mcp adapter add NAME --document FILE` adds one.")];
  }
  return [line(0, bold(`Adapters (${adapters.length})`), ":"), ...adapters.flatMap(adapterLines)];
}

function adapterLines(adapter: ListedAdapter): Line[] {
  const { name, title, tools, dropped, document, missingVariables, failure } = adapter;
  const isWell = missingVariables.length === 0 && failure === null;
  const mark = isWell ? (tools === null ? WAITING : GOOD) : BAD;
  const left = dropped === 0 ? "" : `, ${dropped} left out`;
  const known = tools === null ? "not read yet" : `${count(tools, "tool")}${left}`;
  return [
    line(2, mark, " ", bold(name), title === null ? "" : ` (${title})`, `: ${known}`),
    line(6, document),
    ...(missingVariables.length === 0 ? [] : [line(6, `not set: ${missingVariables.join(", ")}`)]),
    ...(failure === null ? [] : [line(6, failure)]),
  ];
}
