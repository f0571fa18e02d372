import { adaptersOptions } from "../../../adapters/options.js";
import { compileAdapter, isRemote } from "../../../adapters/compile.js";
import type { ConvertedDocument } from "../../../adapters/convert-document.js";
import { DiscoveryError, ERRORS } from "../../../errors.js";
import type { JsonObject } from "../../../model/json.js";
import { changeMembers, type NamedMember } from "../../../sources/rewrite/edit-config.js";
import { writeJson } from "../../../sources/rewrite/json-value.js";
import { checkSchema } from "../../../util/document/schema.js";
import { absolutePath, shortenHome } from "../../../util/home-path.js";
import { pathText } from "../../../util/document/problem.js";
import { toAuthEntry } from "../adapters/auth-option.js";
import { authOption, describeAuth } from "../adapters/auth-words.js";
import type { Adapter } from "../adapters/find-adapter.js";
import { readAdapter } from "../adapters/read-adapter.js";
import { ask, canInterrupt } from "../ask.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import type { Target } from "../../../operations/files/target.js";
import { carryOut, type EditReport, openServerDesk, planChanges } from "../../../operations/servers/desk.js";
import { blocks, bold, count, GOOD, line, type Line, verbatim, WARNING } from "../lines.js";
import { editLines } from "../servers/lines.js";
import { optionsOf } from "../trust-files.js";

export const addAdapter: Handler = async (input, context) => {
  const desk = await openServerDesk(optionsOf(context));
  const { target } = desk;
  const { home, cwd } = desk.place;
  const added: NamedMember = { name: input.argument("name"), entry: toEntry(input, { home, cwd }) };
  assertNew(added.name, target);
  const adapter = check(added, { home, baseDir: cwd, origin: target.file });
  const document = await context.wait(
    readAdapter(added.name, adapter.connection, context.io),
    () => `Reading ${adapter.connection.document}…`,
  );
  const after =
    target.format === "program"
      ? undefined
      : await planChanges(desk, (view) => [changeMembers(view, "adapters", { add: [added] })]);
  if (!context.isJson) context.show(previewLines({ added, target, document, home }));
  const isWritten = after !== undefined && (await isToBeWritten(input, context));
  const report = isWritten ? await carryOut(desk, { action: `adapter add ${added.name}`, after }) : undefined;
  tell({ added, target, document, report, home }, input, context);
  return after === undefined ? ERRORS.CONFIGURATION_ERROR.exit : 0;
};

function toEntry(input: Input, { home, cwd }: { readonly home: string; readonly cwd: string }): JsonObject {
  const given = input.text("document") ?? "";
  const document = isRemote(given) ? given : shortenHome(absolutePath(given, { home, baseDir: cwd }), home);
  const [baseUrl, auth] = [input.text("baseUrl"), input.text("auth")];
  const [idempotencyHeader, category] = [input.text("idempotencyHeader"), input.text("category")];
  return {
    document,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(auth === undefined ? {} : { auth: toAuthEntry(auth) }),
    ...(idempotencyHeader === undefined ? {} : { idempotencyHeader }),
    ...(category === undefined ? {} : { category }),
  };
}

function assertNew(name: string, { config, file }: Target): void {
  const { adapters = [], servers = [] } = config ?? {};
  if (![...adapters, ...servers].some((one) => one.name === name)) return;
  throw new DiscoveryError("INVALID_REQUEST", `${file} has a server named "${name}" already.`, {
    hint: "Choose another name, or change the entry there.",
  });
}

/** The entry as the gateway will see it, refused with what is wrong in it. */
function check({ name, entry }: NamedMember, places: Parameters<typeof compileAdapter>[1]): Adapter {
  const checked = checkSchema(adaptersOptions, { [name]: entry });
  const [compiled] = checked.kind === "ok" ? checked.value.map((one) => compileAdapter(one, places)) : [];
  if (compiled?.connection.kind === "rest") return { ...compiled, connection: compiled.connection };
  const [violation] = checked.kind === "violations" ? checked.violations : [];
  const where = violation === undefined ? "" : pathText(violation.path);
  throw new DiscoveryError("INVALID_REQUEST", `The adapter cannot be written: ${where} ${violation?.reason ?? ""}.`, {
    hint: "`anygpt mcp adapter add --help` shows how it is written.",
  });
}

/** Somebody at a terminal is asked; everybody else has to say so. */
async function isToBeWritten(input: Input, context: Context): Promise<boolean> {
  if (input.flag("yes")) return true;
  return canInterrupt(context) && (await ask("Write this?", context)) === "yes";
}

interface Preview {
  readonly added: NamedMember;
  readonly target: Target;
  readonly document: ConvertedDocument;
  readonly home: string;
}

function previewLines({ added, target, document, home }: Preview): Line[] {
  const { title, format, tools, dropped, auth, baseUrl } = document;
  const [wanted] = auth;
  const option = wanted === undefined ? undefined : authOption(wanted, added.name);
  const isAddressed = added.entry["baseUrl"] !== undefined || baseUrl !== undefined;
  return blocks([
    [
      line(0, bold(title ?? added.name), `: ${count(tools.length, "operation")} (${format})`),
      ...(dropped.length === 0 ? [] : [line(2, WARNING, ` ${count(dropped.length, "operation")} left out`)]),
      ...auth.map((one) => line(2, `wants ${describeAuth(one)}`)),
      ...(added.entry["auth"] === undefined && option !== undefined
        ? [line(2, WARNING, ` no authentication was given; --auth ${option} would be it`)]
        : []),
      ...(isAddressed ? [] : [line(2, WARNING, " the document names no address; give --base-url")]),
    ],
    [
      line(0, `For ${shortenHome(target.file, home)}:`),
      verbatim(2, writeJson({ adapters: { [added.name]: added.entry } }, { step: "  ", layout: "lines" })),
    ],
  ]);
}

interface Told {
  readonly added: NamedMember;
  readonly target: Target;
  readonly document: ConvertedDocument;
  /** Undefined where nothing was written. */
  readonly report: EditReport | undefined;
  readonly home: string;
}

function tell({ added, target, document, report, home }: Told, input: Input, context: Context): void {
  const { name, entry } = added;
  const isProgram = target.format === "program";
  if (context.isJson) {
    const { tools, dropped, auth, format } = document;
    const wanted = { format, operations: tools.length, dropped, wantedAuth: auth };
    const written = report !== undefined;
    return context.json({ name, entry, config: target.file, written, lost: report?.lost ?? [], ...wanted });
  }
  if (isProgram) {
    return context.note([line(0, WARNING, ` ${target.file} is a program, which only you can change: add this to it.`)]);
  }
  const hint = input.flag("yes") || canInterrupt(context) ? "" : " Add --yes to write.";
  const done = line(0, GOOD, " ", bold(name), ` is written. \`anygpt mcp adapter test ${name}\` checks it.`);
  const lines = report === undefined ? [line(0, `Nothing was written.${hint}`)] : [done, ...editLines(report, home)];
  context.show([line(0, ""), ...lines]);
}
