import type { ServerDefinition } from "../model/server.js";
import type { ImportedServer, ToolFilter } from "./imported.js";

/** A server found in the configuration or in another program's file, before names are made unique. */
export interface ServerCandidate {
  readonly definition: ServerDefinition;
  readonly envFile?: string;
  readonly tools?: ToolFilter;
  readonly imported?: ImportedServer;
  /** The working folder of the server process, used if its definition sets none. */
  readonly folder?: string;
}

export function toCandidate(imported: ImportedServer): ServerCandidate {
  const { definition, envFile, tools } = imported;
  return {
    definition,
    ...(envFile === undefined ? {} : { envFile }),
    ...(tools === undefined ? {} : { tools }),
    imported,
  };
}
