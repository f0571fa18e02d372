import type { RestBody, RestMember, RestParameter } from "../model/operation.js";

/** One operation of a document in any format: its description, and how its request is built. */
export interface DescribedOperation {
  /** Identifies the operation in its document by method and path, independent of its position. */
  readonly key: string;
  readonly method: string;
  /** Relative to the base address, with `{name}` for each path parameter. */
  readonly path: string;
  /** The operation's id in the document, if it has one. */
  readonly id?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly category?: string;
  readonly documentation?: string;
  readonly isDeprecated: boolean;
  /** The operation needs no authentication. */
  readonly isOpen: boolean;
  /** The URL of the operation's own `servers` entry, if it differs from the base URL of the API. */
  readonly serverUrl?: string;
  readonly parameters: readonly DescribedParameter[];
  readonly body?: DescribedBody;
  readonly errors: Readonly<Record<string, string>>;
}

export interface DescribedParameter extends Omit<RestParameter, "argument" | "required" | "isJson" | "allowReserved"> {
  readonly isRequired: boolean;
  readonly isJson: boolean;
  readonly allowsReserved: boolean;
  readonly isDeprecated: boolean;
  /** As in the document, including references. */
  readonly schema: unknown;
  readonly description?: string;
  readonly example?: unknown;
}

export interface DescribedBody extends Pick<RestBody, "contentType" | "kind"> {
  /** Undefined if the document does not state it: then the body is required if one of its members is. */
  readonly isRequired: boolean | undefined;
  /** As in the document, including references. */
  readonly schema: unknown;
  readonly description?: string;
  readonly example?: unknown;
  /** How a member of a form is encoded, in addition to its schema. */
  readonly encoding: (name: string) => MemberEncoding;
}

export type MemberEncoding = Partial<Pick<RestMember, "style" | "explode" | "contentType" | "isFile">>;

/** How an API authenticates callers. */
export type WantedAuth =
  | { readonly kind: "bearer" | "basic" }
  | { readonly kind: "api-key"; readonly in: "header" | "query" | "cookie"; readonly name: string }
  | { readonly kind: "client-credentials"; readonly tokenUrl?: string; readonly scopes: readonly string[] }
  /** A method that adapters do not support, with its name in the document. */
  | { readonly kind: "other"; readonly what: string };

export interface DescribedApi {
  readonly title?: string;
  readonly version?: string;
  readonly description?: string;
  readonly baseUrl?: string;
  readonly auth: readonly WantedAuth[];
}

/** A parsed document. Its operations are read one by one; those that cannot be read are returned with a reason. */
export interface ReadDocument {
  readonly api: DescribedApi;
  readonly operations: Iterable<ReadOperation>;
}

export type ReadOperation =
  | { readonly kind: "operation"; readonly operation: DescribedOperation }
  | { readonly kind: "refused"; readonly name: string; readonly reason: string };
