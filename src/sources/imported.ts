import type { ServerDefinition } from "../model/server.js";

/** `user`: for all projects of this person; `project`: came with the project's files; `local`: this person's, for this project. */
export type Scope = "user" | "project" | "local";

/** A server as another program has it, in our form. */
export interface ImportedServer {
  readonly definition: ServerDefinition;
  readonly origin: ServerOrigin;
  /** Why the other program does not use it; such a server is not used here either. */
  readonly disabled?: string;
  /** The entry starts this gateway. */
  readonly isGateway: boolean;
  /** A file of environment variables for it, weaker than those of the definition. */
  readonly envFile?: string;
  readonly tools?: ToolFilter;
  /** The project's folder, where what the server is or reads depends on it. */
  readonly workspace?: string;
  readonly variables: readonly NeededVariable[];
  /** What the entry says and was not carried over, or was carried over in another form. */
  readonly notes: readonly string[];
}

export interface ServerOrigin {
  /** The client's id, such as `cursor`. */
  readonly client: string;
  readonly file: string;
  readonly scope: Scope;
  /** Where in the file, for example `mcpServers.github`. */
  readonly path: string;
  readonly line?: number;
  readonly column?: number;
}

/** The tools that the other program offers of a server: those allowed (all when absent) less those denied. */
export interface ToolFilter {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

/** A variable that the definition refers to. */
export interface NeededVariable {
  readonly name: string;
  /** The server works without it. */
  readonly hasDefault: boolean;
  /** What the other program asks a person for, where the value comes from a question of its own. */
  readonly input?: VariableInput;
}

export interface VariableInput {
  readonly id: string;
  readonly description?: string;
  readonly isPassword: boolean;
}
