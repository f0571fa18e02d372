import type { ServerDefinition } from "../model/server.js";

/** `user`: the user's, for all projects; `project`: in the project's files; `local`: the user's, for this project only. */
export type Scope = "user" | "project" | "local";

/** A server of another program, converted to the form of this gateway. */
export interface ImportedServer {
  readonly definition: ServerDefinition;
  readonly origin: ServerOrigin;
  /** Why the other program does not use the server; then it is not used here either. */
  readonly disabled?: string;
  /** The entry starts this gateway. */
  readonly isGateway: boolean;
  /** An env file for the server; variables of the definition win. */
  readonly envFile?: string;
  readonly tools?: ToolFilter;
  /** The project folder, if the server's command or files depend on it. */
  readonly workspace?: string;
  readonly variables: readonly NeededVariable[];
  /** Settings of the entry that were not imported, or were changed by the import. */
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

/** A variable that the definition refers to. */
export interface NeededVariable {
  readonly name: string;
  /** The server works without it. */
  readonly hasDefault: boolean;
  /** The prompt of the other program, if it asks the user for the value. */
  readonly input?: VariableInput;
}

export interface VariableInput {
  readonly id: string;
  readonly description?: string;
  readonly isPassword: boolean;
}
