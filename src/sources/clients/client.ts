import type { Path } from "../../util/document/problem.js";
import type { Section } from "../formats/parse.js";
import type { Scope, ToolFilter } from "../imported.js";
import type { Dialect, InputDefinition } from "../placeholders.js";
import type { System } from "../system.js";

/** A program that keeps MCP servers in files of its own: where they lie, and what they say. Pure. */
export interface Client {
  readonly id: string;
  readonly title: string;
  /** It gives the servers that it starts its whole environment, and not only what their entries name. */
  readonly passesEnvironment?: true;
  /** In the order of precedence: what is found first has the name. A part of a path may hold one `*`. */
  readonly places: (system: System) => readonly ClientPlace[];
  /** How a file of this program is read, told by its path. */
  readonly layoutOf: (path: string) => Layout;
}

export interface ClientPlace {
  readonly scope: Scope;
  readonly path: string;
}

export interface Layout {
  /** May depend on the project, where a file holds the settings of many. */
  readonly section: (system: System) => Section;
  readonly dialect: Dialect;
  /** Files beside it that say more about its servers. Those that are missing or broken say nothing. */
  readonly companions?: (
    file: { readonly path: string; readonly document: unknown },
    system: System,
  ) => readonly Companion[];
  readonly read: (document: unknown, context: ReadContext) => Findings;
}

export interface Companion extends Section {
  /** A path, one part of which may hold a `*`. */
  readonly path: string;
}

export interface ReadContext {
  readonly system: System;
  readonly path: string;
  /** What the companions hold, in their order; several for one with a `*`. */
  readonly companions: readonly unknown[];
}

/** What a file says, in words that all programs share; nothing of it is checked yet. */
export interface Findings {
  readonly servers: readonly FoundServer[];
  readonly inputs?: ReadonlyMap<string, InputDefinition>;
  /** Parts of the file that are not what they should be. */
  readonly faults?: readonly { readonly path: Path; readonly reason: string }[];
}

export interface FoundServer {
  readonly name: string;
  /** Where in the document it stands. */
  readonly path: Path;
  /** In the keys of `importedServerEntry`. */
  readonly entry: unknown;
  readonly scope?: Scope;
  readonly disabled?: string;
  readonly tools?: ToolFilter;
  readonly notes?: readonly string[];
  /** Values that the program keeps in a store of its own, by the variable that stands for them. */
  readonly inputs?: ReadonlyMap<string, InputDefinition>;
}
