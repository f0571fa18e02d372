import type { ServerDefinition } from "../model/server.js";
import type { ImportedServer, ToolFilter } from "./imported.js";

/** A server that wants to be in the list, before names are made unique. */
export interface Candidate {
  readonly definition: ServerDefinition;
  readonly envFile?: string;
  readonly tools?: ToolFilter;
  readonly imported?: ImportedServer;
  /** Where it starts when it does not say so itself. */
  readonly folder?: string;
}

export function toCandidate(imported: ImportedServer): Candidate {
  const { definition, envFile, tools } = imported;
  return {
    definition,
    ...(envFile === undefined ? {} : { envFile }),
    ...(tools === undefined ? {} : { tools }),
    imported,
  };
}
