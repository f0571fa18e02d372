import type { ServerConnection, ServerDefinition } from "../model/server.js";
import { pathText, type Problem } from "../util/document/problem.js";
import { checkSchema } from "../util/document/schema.js";
import type { Document } from "../util/document/tree.js";
import { isEqualJson } from "../util/json/is-equal.js";
import type { Client, ClientServer, Layout } from "./clients/client.js";
import { compileServer } from "./compile.js";
import type { ImportedServer, NeededVariable, Scope, ServerOrigin } from "./imported.js";
import { isGatewayItself, type OwnProgram } from "./itself.js";
import { importedServerEntry } from "./options.js";
import { createPlaceholders, type InputDefinition } from "./placeholders.js";
import { toValidServerName } from "./server-name.js";
import { pathsOf, type System } from "./system.js";
import { translateTexts } from "./translate.js";
import { unwrapRemote } from "./unwrap.js";
import { workspaceOf } from "./workspace.js";

export interface ImportParts {
  readonly client: Client;
  readonly layout: Layout;
  readonly file: string;
  readonly scope: Scope;
  readonly document: Document;
  readonly system: System;
  readonly inputs: ReadonlyMap<string, InputDefinition>;
  readonly own?: OwnProgram | undefined;
}

export type ImportResult =
  | { readonly kind: "server"; readonly server: ImportedServer }
  | { readonly kind: "invalid"; readonly problems: readonly Problem[] };

/** Converts one entry of another program's file into a server, or returns its problems. */
export function importServer(found: ClientServer, parts: ImportParts): ImportResult {
  const workspace = workspaceOf(parts.file, parts.system);
  const result = importInto(workspace, found, parts);
  if (result.kind === "invalid" || result.server.origin.scope === "project") return result;
  // Import the entry a second time, as if the project folder had the same name but another path. If the result differs,
  // the server depends on the folder.
  const { join, basename } = pathsOf(parts.system);
  const otherFolder = importInto(join(workspace, "..", "other", basename(workspace)), found, parts);
  const isIndependent =
    otherFolder.kind === "server" && isEqualJson(pathsIn(result.server), pathsIn(otherFolder.server));
  return isIndependent ? result : { kind: "server", server: { ...result.server, workspace } };
}

function pathsIn({ definition, envFile }: ImportedServer): unknown {
  return [definition, envFile];
}

function importInto(workspace: string, found: ClientServer, parts: ImportParts): ImportResult {
  const { system, file, layout } = parts;
  const inputs = new Map([...parts.inputs, ...(found.inputs ?? [])]);
  const placeholders = createPlaceholders({ dialect: layout.dialect, system, workspace, inputs });
  const checked = checkSchema(importedServerEntry, translateTexts(found.entry, placeholders.translate));
  if (checked.kind === "violations") return { kind: "invalid", problems: toProblems(found, checked.violations, parts) };

  const { envFile, ...entry } = checked.value;
  const named = toValidServerName(found.name);
  const compiled = compileServer(
    { ...entry, name: named.name, enabled: true },
    { home: system.home, baseDir: workspace, origin: file },
  );
  const direct = unwrapRemote(compiled.connection);
  const needs = placeholders.needs();
  const definition = {
    ...compiled,
    connection: direct.connection,
    ...(needs.length === 0 ? {} : { needs }),
  };
  const tools = direct.deniedTools.length === 0 ? found.tools : withDenied(found.tools, direct.deniedTools);
  const resolvedEnvFile = envFile === undefined ? undefined : pathFrom(envFile, workspace, system);
  return {
    kind: "server",
    server: {
      definition,
      origin: originOf(found, parts),
      ...(found.disabled === undefined ? {} : { disabled: found.disabled }),
      isGateway: isGatewayItself(compiled.connection, parts.own),
      ...(resolvedEnvFile === undefined ? {} : { envFile: resolvedEnvFile }),
      ...(tools === undefined ? {} : { tools }),
      variables: stillNeeded(placeholders.variables(), definition),
      notes: [
        ...(named.note === undefined ? [] : [named.note]),
        ...(found.notes ?? []),
        ...placeholders.notes(),
        ...direct.notes,
        ...(envFile !== undefined && resolvedEnvFile === undefined
          ? ["`envFile` contains a variable and was ignored."]
          : []),
      ],
    },
  };
}

function originOf(found: ClientServer, { client, file, scope, document }: ImportParts): ServerOrigin {
  return {
    client: client.id,
    file,
    scope: found.scope ?? scope,
    path: pathText(found.path),
    ...document.positionOf(found.path),
  };
}

function toProblems(
  found: ClientServer,
  violations: readonly { readonly path: readonly (string | number)[]; readonly reason: string }[],
  { file, document }: ImportParts,
): Problem[] {
  return violations.map(({ path, reason }) => {
    const where = [...found.path, ...path];
    return { file, path: pathText(where), ...document.positionOf(where), reason };
  });
}

function withDenied(filter: ImportedServer["tools"], denied: readonly string[]): NonNullable<ImportedServer["tools"]> {
  return { ...filter, deny: [...(filter?.deny ?? []), ...denied] };
}

function pathFrom(path: string, workspace: string, system: System): string | undefined {
  if (path.includes("${")) return undefined;
  const { isAbsolute, join } = pathsOf(system);
  if (/^~[\\/]/.test(path)) return join(system.home, path.slice(2));
  return isAbsolute(path) ? path : join(workspace, path);
}

function stillNeeded(variables: readonly NeededVariable[], { connection }: ServerDefinition): NeededVariable[] {
  const texts = textsOf(connection).join("\n");
  return variables.filter(({ name }) => texts.includes(`\${${name}}`) || texts.includes(`\${${name}:-`));
}

function textsOf(connection: ServerConnection): string[] {
  if (connection.kind === "rest" || connection.kind === "built-in") return [];
  if (connection.kind !== "stdio") return [connection.url, ...Object.values(connection.headers)];
  const { command, args, env, cwd = "" } = connection;
  return [command, ...args, ...Object.values(env), cwd];
}
