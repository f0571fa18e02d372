import type { RestConnection, ServerListing } from "../../model/server.js";

/** Converts an API document into the tools that it describes. */
export type ConvertDocument = (text: string, connection: RestConnection) => Promise<DescribedTools>;

export interface DescribedTools extends Pick<ServerListing, "tools" | "dropped" | "truncated"> {
  readonly title?: string;
  readonly version?: string;
  readonly description?: string;
  /** The base address of the API according to the document. */
  readonly baseUrl?: string;
}
