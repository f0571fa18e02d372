import type { ServerDefinition } from "../model/server.js";

/**
 * Where an entry applies. `user`: in all projects of the user. `project`: it is in the project's files. `local`: it is
 * the user's, for this project only.
 */
export type Scope = "user" | "project" | "local";

/** A server of another program, converted to this gateway's format. */
export interface ImportedServer {
  readonly definition: ServerDefinition;
  readonly origin: ServerOrigin;
  /** Why the other program does not use the server; then it is not used here either. */
  readonly disabled?: string;
  /** Whether the entry starts this gateway. */
  readonly isGateway: boolean;
  /** The path of an env file for the server; variables of the definition take precedence. */
  readonly envFile?: string;
  readonly tools?: ToolFilter;
  /** The project folder, if the server's command or files depend on it. */
  readonly workspace?: string;
  readonly variables: readonly NeededVariable[];
  /** Messages about settings of the entry that were not imported, or were changed by the import. */
  readonly notes: readonly string[];
}

export interface ServerOrigin {
  /** The client's id, such as `cursor`. */
  readonly client: string;
  readonly file: string;
  readonly scope: Scope;
  /** The path inside the file, for example `mcpServers.github`. */
  readonly path: string;
  readonly line?: number;
  readonly column?: number;
}

/** The tools of a server that the other program offers: the allowed ones (all if undefined) except the denied ones. */
export interface ToolFilter {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

/** An environment variable that the server definition refers to. */
export interface NeededVariable {
  readonly name: string;
  /** Whether the server works if the variable is not set. */
  readonly hasDefault: boolean;
  /** The prompt of the other program, if it asks the user for the value. */
  readonly input?: VariableInput;
}

export interface VariableInput {
  readonly id: string;
  readonly description?: string;
  readonly isPassword: boolean;
}
