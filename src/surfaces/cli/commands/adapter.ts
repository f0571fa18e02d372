import { ERRORS } from "../../../errors.js";
import { type PreparedAdapter, prepareAdapter } from "../../../operations/adapters/add-adapter.js";
import { authOption, describeAuth } from "../../../operations/adapters/auth-words.js";
import {
  type AdapterPage,
  type AdapterVariable,
  inspectAdapter,
} from "../../../operations/adapters/inspect-adapter.js";
import { listAdapters, type ListedAdapter } from "../../../operations/adapters/list-adapters.js";
import { testAdapter } from "../../../operations/adapters/test-adapter.js";
import type { EditReport } from "../../../operations/servers/desk.js";
import { toJsonText } from "../../../sources/rewrite/json-value.js";
import { shortenHome } from "../../../util/home-path.js";
import { canInterrupt, isAgreed } from "../../../terminal/questions.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { describeCliStep } from "../next-steps.js";
import {
  BAD,
  BLANK,
  blocks,
  bold,
  count,
  dim,
  GOOD,
  line,
  type Line,
  verbatim,
  WAITING,
  WARNING,
} from "../../../terminal/lines.js";
import { editLines } from "../servers/lines.js";
import { engineCommand } from "../session.js";
import { engineOptions } from "../trust-files.js";

export const addAdapter: Handler = async (input, context) => {
  const request = {
    name: input.argument("name"),
    document: input.text("document") ?? "",
    baseUrl: input.text("baseUrl"),
    auth: input.text("auth"),
    idempotencyHeader: input.text("idempotencyHeader"),
    category: input.text("category"),
  };
  const prepared = await prepareAdapter(request, engineOptions(context), {
    signal: context.io.signal,
    onRead: (document, work) => context.wait(work, () => `Reading ${document}…`),
  });
  if (!context.isJson) context.show(previewLines(prepared));
  const isWanted =
    prepared.write !== undefined && (await isAgreed("Write this to the configuration?", input.flag("yes"), context));
  replyAdded(prepared, isWanted ? await prepared.write?.() : undefined, input, context);
  return prepared.write === undefined ? ERRORS.CONFIGURATION_ERROR.exit : 0;
};

function replyAdded(prepared: PreparedAdapter, report: EditReport | undefined, input: Input, context: Context): void {
  const { added, target, document, home, write } = prepared;
  const { tools, dropped, auth, format } = document;
  if (write === undefined && !context.isJson) {
    return context.warn(`${target.file} is a program, so it was not changed. Add the adapter to it yourself.`);
  }
  const wanted = { format, operations: tools.length, dropped, wantedAuth: auth };
  const written = report !== undefined;
  context.reply({ ...added, config: target.file, written, lost: report?.lost ?? [], ...wanted }, () => {
    const hint = input.flag("yes") || canInterrupt(context) ? "" : " Add --yes to write.";
    if (report === undefined) return [BLANK, `Nothing was written.${hint}`];
    const done = ` was written. Check it with \`anygpt mcp adapter test ${added.name}\`.`;
    return [BLANK, line(0, GOOD, " ", bold(added.name), done), ...editLines(report, home)];
  });
}

function previewLines({ added, target, document, home }: PreparedAdapter): Line[] {
  const { title, format, tools, dropped, auth, baseUrl } = document;
  const [wanted] = auth;
  const option = wanted === undefined ? undefined : authOption(wanted, added.name);
  const isAddressed = added.entry["baseUrl"] !== undefined || baseUrl !== undefined;
  return blocks([
    [
      line(0, bold(title ?? added.name), `: ${count(tools.length, "operation")} (${format})`),
      ...(dropped.length === 0 ? [] : [line(2, WARNING, ` ${count(dropped.length, "operation")} left out`)]),
      ...auth.map((one) => line(2, `requires ${describeAuth(one)}`)),
      ...(added.entry["auth"] === undefined && option !== undefined
        ? [line(2, WARNING, ` No authentication is configured. Add --auth ${option}.`)]
        : []),
      ...(isAddressed ? [] : [line(2, WARNING, " The document contains no server URL. Add --base-url.")]),
    ],
    [
      `For ${shortenHome(target.file, home)}:`,
      verbatim(2, toJsonText({ adapters: { [added.name]: added.entry } }, { step: "  ", layout: "lines" })),
    ],
  ]);
}

export const listAdapterCommand = engineCommand(async (engine, _input, context) => {
  const adapters = await listAdapters(engine);
  context.reply({ adapters }, () => listLines(adapters));
});

function listLines(adapters: readonly ListedAdapter[]): Line[] {
  if (adapters.length === 0) {
    return ["No adapter is configured. Add one with `anygpt mcp adapter add NAME --document FILE`."];
  }
  return [line(0, bold(`Adapters (${adapters.length})`), ":"), ...adapters.flatMap(listedLines)];
}

function listedLines(adapter: ListedAdapter): Line[] {
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

export const inspectAdapterCommand = engineCommand(async (engine, input, context) => {
  let reading = "";
  const options = { signal: context.io.signal, onRead: (document: string) => void (reading = document) };
  const page = await context.wait(
    inspectAdapter(engine, input.argument("server"), options),
    () => `Reading ${reading}…`,
  );
  context.reply(page, () => adapterLines(page));
});

function adapterLines(page: AdapterPage): Line[] {
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
  const more = truncated ? "; the document has more than the limit" : "";
  return [
    line(0, bold(name), known === "" ? "" : ` (${known})`),
    line(2, `document: ${document} (${format})`),
    line(2, `URL: ${baseUrl ?? "unknown; set baseUrl"}`),
    line(2, `${count(operations, "operation")}${more}`),
  ];
}

function notes(operation: {
  readonly risk: string | null;
  readonly deprecated: boolean;
  readonly shortened: boolean;
}): string {
  const words = [
    ...(operation.risk === null ? [] : [`risk ${operation.risk}`]),
    ...(operation.deprecated ? ["deprecated"] : []),
    ...(operation.shortened ? ["schema shortened"] : []),
  ];
  return words.length === 0 ? "" : ` (${words.join(", ")})`;
}

function authLines({ name, auth }: AdapterPage): Line[] {
  const { configured, wanted, variables } = auth;
  const [first] = wanted;
  const option = first === undefined ? undefined : authOption(first, name);
  const none = ` No authentication is configured. To configure it, pass \`--auth ${option}\` to \`anygpt mcp adapter add\`.`;
  return [
    line(0, bold("Authentication")),
    line(2, `configured: ${configured ?? "none"}`),
    ...wanted.map((one) => line(2, `required by the document: ${describeAuth(one)}`)),
    ...(configured === null && option !== undefined ? [line(2, WARNING, none)] : []),
    ...variables.map(variableLine),
  ];
}

const VARIABLE_MARKS = { set: GOOD, default: dim("-"), missing: BAD } as const;
const WORDS = { set: "set", default: "not set, has a default", missing: "not set" } as const;

function variableLine({ name, status }: AdapterVariable): Line {
  return line(2, VARIABLE_MARKS[status], " ", bold(name), `: ${WORDS[status]}`);
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
    line(0, bold(`Settings without an operation (${unmatched.length})`)),
    ...unmatched.map((pattern) =>
      line(2, WARNING, ` ${pattern}: this pattern in \`operations\` matches no operation and has no effect`),
    ),
  ];
}

export const testAdapterCommand = engineCommand(async (engine, input, context) => {
  const adapter = input.argument("server");
  const checks = await testAdapter(engine, adapter, {
    tool: input.argument("tool"),
    signal: context.io.signal,
    describe: describeCliStep,
    confirm: (what) => isAgreed(`Send ${what}?`, input.flag("yes"), context),
    onRead: (work) => context.wait(work, () => `Reading the document of ${adapter}…`),
    onRequest: (what, work) => context.wait(work, () => `Waiting for ${what}…`),
  });
  context.reply({ adapter, checks }, () => [
    line(0, bold(adapter), ":"),
    ...checks.map(({ name, status, detail }) => line(2, MARKS[status], " ", bold(name), `: ${detail}`)),
  ]);
  const isWell = checks.every(({ status }) => status !== "failed");
  return isWell ? 0 : ERRORS.SERVER_CONNECTION_ERROR.exit;
});

const MARKS = { ok: GOOD, notice: WARNING, failed: BAD, open: dim("-") } as const;
