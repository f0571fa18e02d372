import { compileAdapter, isRemote } from "../../adapters/compile.js";
import type { ConvertedDocument } from "../../adapters/convert-document.js";
import { adaptersOptions } from "../../adapters/options.js";
import type { OpenOptions } from "../../gateway/engine-options.js";
import { DiscoveryError } from "../../errors.js";
import type { JsonObject } from "../../model/json.js";
import { changeMembers, type NamedMember } from "../../sources/rewrite/edit-config.js";
import { pathText } from "../../util/document/problem.js";
import { checkSchema } from "../../util/document/schema.js";
import { absolutePath, shortenHome } from "../../util/home-path.js";
import type { EditTarget } from "../files/target.js";
import { applyEdit, type EditReport, openServerDesk, planChanges, type ServerDesk } from "../servers/desk.js";
import { toAuthEntry } from "./auth-entry.js";
import type { Adapter } from "./find-adapter.js";
import { readAdapter } from "./read-adapter.js";

/** An adapter to add to the configuration. */
export interface AdapterRequest {
  readonly name: string;
  /** The path or URL of the API document. */
  readonly document: string;
  readonly baseUrl?: string | undefined;
  /**
   * The authentication in the syntax of the option `--auth`, such as `bearer:VAR`; VAR names an environment variable.
   */
  readonly auth?: string | undefined;
  readonly idempotencyHeader?: string | undefined;
  readonly category?: string | undefined;
}

/** An adapter whose API document was read and whose entry was checked, but not yet written to the configuration. */
export interface PreparedAdapter {
  readonly added: NamedMember;
  readonly target: EditTarget;
  readonly document: ConvertedDocument;
  readonly home: string;
  /**
   * Writes the entry to the configuration. Undefined if the configuration is a JavaScript or TypeScript module, which
   * the user must edit.
   */
  readonly write?: () => Promise<EditReport>;
}

export interface PrepareAdapterOptions {
  readonly signal?: AbortSignal;
  /** Called with the promise that reads the API document, for example to show progress. @internal */
  readonly onRead?: <T>(document: string, work: Promise<T>) => Promise<T>;
}

/** Reads the API document and checks the adapter's entry, without writing it to the configuration. */
export async function prepareAdapter(
  { name, ...request }: AdapterRequest,
  options: OpenOptions = {},
  { signal, onRead }: PrepareAdapterOptions = {},
): Promise<PreparedAdapter> {
  const desk = await openServerDesk(options);
  const { target } = desk;
  const { home, cwd, env } = desk.place;
  const added: NamedMember = { name, entry: toEntry(request, { home, cwd }) };
  assertNew(name, target);
  const { connection } = check(added, { home, baseDir: cwd, origin: target.file });
  const reading = readAdapter(name, connection, { env, signal });
  const document = await (onRead?.(connection.document, reading) ?? reading);
  if (target.format === "program") return { added, target, document, home };
  const replan = async (now: ServerDesk): Promise<Uint8Array> => {
    assertNew(name, now.target);
    return await planChanges(now, (view) => [changeMembers(view, "adapters", { add: [added] })]);
  };
  const after = await replan(desk);
  const write = (): Promise<EditReport> => applyEdit(desk, { action: `adapter add ${name}`, after, replan });
  return { added, target, document, home, write };
}

function toEntry(
  { document: location, baseUrl, auth, idempotencyHeader, category }: Omit<AdapterRequest, "name">,
  { home, cwd }: { readonly home: string; readonly cwd: string },
): JsonObject {
  const document = isRemote(location) ? location : shortenHome(absolutePath(location, { home, baseDir: cwd }), home);
  return {
    document,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(auth === undefined ? {} : { auth: toAuthEntry(auth) }),
    ...(idempotencyHeader === undefined ? {} : { idempotencyHeader }),
    ...(category === undefined ? {} : { category }),
  };
}

function assertNew(name: string, { config, file }: EditTarget): void {
  const { adapters = [], servers = [] } = config ?? {};
  if (![...adapters, ...servers].some((one) => one.name === name)) return;
  throw new DiscoveryError("INVALID_REQUEST", `${file} already has a server or adapter named "${name}".`, {
    hint: "Choose another name, or edit the existing entry.",
  });
}

/** Checks the entry against the schema of the configuration. Throws `INVALID_REQUEST` with the first violation. */
function check({ name, entry }: NamedMember, paths: Parameters<typeof compileAdapter>[1]): Adapter {
  const checked = checkSchema(adaptersOptions, { [name]: entry });
  const [compiled] = checked.kind === "ok" ? checked.value.map((one) => compileAdapter(one, paths)) : [];
  if (compiled?.connection.kind === "rest") return { ...compiled, connection: compiled.connection };
  const [violation] = checked.kind === "violations" ? checked.violations : [];
  const where = violation === undefined ? "" : pathText(violation.path);
  throw new DiscoveryError("INVALID_REQUEST", `The adapter cannot be added: ${where} ${violation?.reason ?? ""}.`, {
    hint: { action: "run-command", command: "anygpt mcp adapter add --help", purpose: "see the syntax" },
  });
}
