import { dirname } from "node:path";
import type { z } from "zod";
import { isJsonObject } from "../model/json.js";
import type { ServerDefinition } from "../model/server.js";
import { parseText, type Format } from "../util/document/formats.js";
import { pathText, type Path, type Problem } from "../util/document/problem.js";
import { checkSchema } from "../util/document/schema.js";
import { readTextFile } from "../util/document/text.js";
import type { Document } from "../util/document/tree.js";
import { compileServer } from "./compile.js";
import {
  importedServerEntry,
  keyedServerEntry,
  serverName,
  toNamedEntries,
  type ServerEntry,
  type SourceEntry,
} from "./options.js";

export type SourceContent =
  | { readonly kind: "missing" }
  | { readonly kind: "broken"; readonly problems: readonly Problem[] }
  | { readonly kind: "read"; readonly servers: readonly ServerDefinition[]; readonly problems: readonly Problem[] };

/** Where a kind of file keeps its servers, and how strictly one of them is read. */
interface Layout {
  readonly format: Format;
  readonly section: string;
  readonly sectionOnly: boolean;
  readonly read: (key: string, value: unknown) => EntryResult;
}

type EntryResult =
  | { readonly kind: "server"; readonly entry: ServerEntry }
  | { readonly kind: "wrong"; readonly violations: readonly { readonly path: Path; readonly reason: string }[] };

const CLIENT_FILE: Layout = { format: "json", section: "mcpServers", sectionOnly: false, read: readImported };

const LAYOUTS: Readonly<Record<SourceEntry["type"], Layout>> = {
  custom: { format: "yaml", section: "servers", sectionOnly: true, read: readCustom },
  "docker-mcp": CLIENT_FILE,
  "claude-desktop": CLIENT_FILE,
  windsurf: CLIENT_FILE,
};

/** Reads one file. An entry that is wrong is left out and reported; the others of the file stand. */
export async function readSource(type: SourceEntry["type"], file: string, home: string): Promise<SourceContent> {
  const layout = LAYOUTS[type];
  const text = await readTextFile(file);
  if (text.kind === "missing") return { kind: "missing" };
  if (text.kind === "unreadable") return broken([{ file, path: "", reason: text.reason }]);
  const parsed = await parseText(text.text, layout.format);
  if (parsed.kind === "faults") {
    return broken(
      parsed.faults.map(({ path, position, reason }) => ({ file, path: pathText(path), ...position, reason })),
    );
  }
  const { document } = parsed;
  const fault = sectionFault(document.value, layout);
  if (fault !== undefined) return broken([problemAt(file, document, fault)]);
  const section = (document.value as Record<string, Record<string, unknown>>)[layout.section] ?? {};

  const servers: ServerDefinition[] = [];
  const problems: Problem[] = [];
  for (const [key, value] of Object.entries(section)) {
    const result = layout.read(key, value);
    if (result.kind === "wrong") {
      for (const { path, reason } of result.violations) {
        problems.push(problemAt(file, document, { path: [layout.section, key, ...path], reason }));
      }
    } else if (result.entry.enabled) {
      servers.push(compileServer(result.entry, { home, baseDir: dirname(file), origin: file }));
    }
  }
  return { kind: "read", servers, problems };
}

function sectionFault(value: unknown, { section, sectionOnly }: Layout): { path: Path; reason: string } | undefined {
  if (!isJsonObject(value)) return { path: [], reason: `must be a map with the key "${section}"` };
  const stranger = sectionOnly ? Object.keys(value).find((key) => key !== section) : undefined;
  if (stranger !== undefined)
    return { path: [stranger], reason: `is not a known key; the only one here is ${section}` };
  const servers = value[section];
  if (servers === undefined && !sectionOnly) return undefined;
  return isJsonObject(servers) ? undefined : { path: [section], reason: "must be a map of servers by name" };
}

function readCustom(key: string, value: unknown): EntryResult {
  return checkEntry(key, value, keyedServerEntry);
}

function readImported(key: string, value: unknown): EntryResult {
  const result = checkEntry(key, value, importedServerEntry);
  if (result.kind === "server" && isJsonObject(value) && value["disabled"] === true) {
    return { kind: "server", entry: { ...result.entry, enabled: false } };
  }
  return result;
}

function checkEntry(
  key: string,
  value: unknown,
  schema: typeof keyedServerEntry | typeof importedServerEntry,
): EntryResult {
  const name = checkSchema(serverName, key);
  if (name.kind === "violations") return { kind: "wrong", violations: name.violations };
  const checked = checkSchema<z.ZodType<z.output<typeof keyedServerEntry>>>(schema, value);
  if (checked.kind === "violations") return { kind: "wrong", violations: checked.violations };
  const [entry] = toNamedEntries({ [key]: checked.value });
  return entry === undefined ? { kind: "wrong", violations: [] } : { kind: "server", entry };
}

function problemAt(file: string, document: Document, fault: { path: Path; reason: string }): Problem {
  return { file, path: pathText(fault.path), ...document.positionOf(fault.path), reason: fault.reason };
}

function broken(problems: readonly Problem[]): SourceContent {
  return { kind: "broken", problems };
}
