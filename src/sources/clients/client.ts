import type { Path } from "../../util/document/problem.js";
import type { Section } from "../formats/parse.js";
import type { Scope, ToolFilter } from "../imported.js";
import type { PlaceholderSyntax, InputDefinition } from "../placeholders.js";
import type { System } from "../system.js";

/**
 * A program that stores MCP servers in its own files: where the files are, and how to read them. All functions are
 * pure.
 */
export interface Client {
  readonly id: string;
  readonly title: string;
  /**
   * Set if the program passes its whole environment to the servers that it starts, not only the variables in their
   * entries.
   */
  readonly passesEnvironment?: true;
  /**
   * The files that may contain servers, in order of precedence: if several files define a server of the same name, the
   * first file wins. Each segment of a path may contain one `*`.
   */
  readonly locations: (system: System) => readonly ClientLocation[];
  /** How to parse a file of this program; the path determines the layout. */
  readonly layoutOf: (path: string) => Layout;
}

export interface ClientLocation {
  readonly scope: Scope;
  readonly path: string;
}

export interface Layout {
  /**
   * The part of the file to parse. It depends on the system, because one file may contain the settings of many
   * projects.
   */
  readonly section: (system: System) => Section;
  readonly dialect: PlaceholderSyntax;
  /** Returns additional files with settings for the servers of this file. Missing or invalid ones are ignored. */
  readonly companions?: (
    file: { readonly path: string; readonly document: unknown },
    system: System,
  ) => readonly Companion[];
  readonly read: (document: unknown, context: ReadContext) => ClientFindings;
}

export interface Companion extends Section {
  /** The path of the file. Each segment may contain one `*`. */
  readonly path: string;
}

export interface ReadContext {
  readonly system: System;
  readonly path: string;
  /** The parsed contents of the companion files in their order; a path with `*` yields several. */
  readonly companions: readonly unknown[];
}

/** The servers found in a file, in a form that is the same for all programs; not validated yet. */
export interface ClientFindings {
  readonly servers: readonly ClientServer[];
  readonly inputs?: ReadonlyMap<string, InputDefinition>;
  /** Validation errors: parts of the file that have an unexpected type. */
  readonly faults?: readonly { readonly path: Path; readonly reason: string }[];
}

export interface ClientServer {
  readonly name: string;
  /** The path of the entry inside the file. */
  readonly path: Path;
  /** The server entry, with its keys converted to those of `importedServerEntry`. */
  readonly entry: unknown;
  readonly scope?: Scope;
  readonly disabled?: string;
  readonly tools?: ToolFilter;
  readonly notes?: readonly string[];
  /**
   * Values that the program stores elsewhere, for example in a keyring. The key of each is the name of the environment
   * variable that replaces it.
   */
  readonly inputs?: ReadonlyMap<string, InputDefinition>;
}
