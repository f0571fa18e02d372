import type { Path } from "../../util/document/problem.js";
import type { Section } from "../formats/parse.js";
import type { Scope, ToolFilter } from "../imported.js";
import type { PlaceholderSyntax, InputDefinition } from "../placeholders.js";
import type { System } from "../system.js";

/** A program that stores MCP servers in its own files: where the files are, and how to read them. Pure. */
export interface Client {
  readonly id: string;
  readonly title: string;
  /** The program passes its whole environment to the servers that it starts, not only the variables in their entries. */
  readonly passesEnvironment?: true;
  /** In order of precedence: the first file that has a server name wins. Each part of a path may contain one `*`. */
  readonly locations: (system: System) => readonly ClientLocation[];
  /** How to read a file of this program; the path selects the layout. */
  readonly layoutOf: (path: string) => Layout;
}

export interface ClientLocation {
  readonly scope: Scope;
  readonly path: string;
}

export interface Layout {
  /** Depends on the system because one file may hold the settings of many projects. */
  readonly section: (system: System) => Section;
  readonly dialect: PlaceholderSyntax;
  /** Additional files with settings for the servers of this file. Missing or invalid ones are ignored. */
  readonly companions?: (
    file: { readonly path: string; readonly document: unknown },
    system: System,
  ) => readonly Companion[];
  readonly read: (document: unknown, context: ReadContext) => ClientFindings;
}

export interface Companion extends Section {
  /** A path; one part of it may contain a `*`. */
  readonly path: string;
}

export interface ReadContext {
  readonly system: System;
  readonly path: string;
  /** Contents of the companion files in their order; a path with `*` yields several. */
  readonly companions: readonly unknown[];
}

/** The content of a file in a form that is the same for all programs; not validated yet. */
export interface ClientFindings {
  readonly servers: readonly ClientServer[];
  readonly inputs?: ReadonlyMap<string, InputDefinition>;
  /** Parts of the file with an unexpected type. */
  readonly faults?: readonly { readonly path: Path; readonly reason: string }[];
}

export interface ClientServer {
  readonly name: string;
  /** The path of the entry inside the document. */
  readonly path: Path;
  /** The entry, with the keys of `importedServerEntry`. */
  readonly entry: unknown;
  readonly scope?: Scope;
  readonly disabled?: string;
  readonly tools?: ToolFilter;
  readonly notes?: readonly string[];
  /** Values that the program does not store in this file (for example in a keyring), by the variable that replaces them. */
  readonly inputs?: ReadonlyMap<string, InputDefinition>;
}
