import type { RestConnection, ServerListing } from "../../model/server.js";

/** Turns a document into the tools that it describes. */
export type ConvertDocument = (text: string, connection: RestConnection) => Promise<DescribedTools>;

export interface DescribedTools extends Pick<ServerListing, "tools" | "dropped" | "truncated"> {
  readonly title?: string;
  readonly version?: string;
  readonly description?: string;
  /** Where the document says that the API is. */
  readonly baseUrl?: string;
}
