import type { RestBody, RestMember, RestParameter } from "../model/operation.js";

/** One operation of an API document in any format: its description, and how its request is built. */
export interface DescribedOperation {
  /** Identifies the operation in its API document, independent of its position. For OpenAPI: method and path. */
  readonly key: string;
  readonly method: string;
  /** The path relative to the base URL, with `{name}` for each path parameter. */
  readonly path: string;
  /** The operation's id in the API document, if it has one. */
  readonly id?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly category?: string;
  readonly documentation?: string;
  readonly isDeprecated: boolean;
  /** Whether the operation needs no authentication. */
  readonly isOpen: boolean;
  /** The base URL that the document declares for this operation, if it differs from the base URL of the API. */
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
  /** The schema of the parameter as in the API document; references are not resolved. */
  readonly schema: unknown;
  readonly description?: string;
  readonly example?: unknown;
}

export interface DescribedBody extends Pick<RestBody, "contentType" | "kind"> {
  /**
   * Whether the body must be sent. Undefined if the document does not state it: the body is then required if one of its
   * members is.
   */
  readonly isRequired: boolean | undefined;
  /** The schema of the body as in the API document; references are not resolved. */
  readonly schema: unknown;
  readonly description?: string;
  readonly example?: unknown;
  /** Returns how a form member is encoded, as far as the document states it in addition to the schema. */
  readonly encoding: (name: string) => MemberEncoding;
}

export type MemberEncoding = Partial<Pick<RestMember, "style" | "explode" | "contentType" | "isFile">>;

/** How an API authenticates callers, according to its document. */
export type WantedAuth =
  | { readonly kind: "bearer" | "basic" }
  | { readonly kind: "api-key"; readonly in: "header" | "query" | "cookie"; readonly name: string }
  | { readonly kind: "client-credentials"; readonly tokenUrl?: string; readonly scopes: readonly string[] }
  /** A method that adapters do not support. `what` is its name in the document. */
  | { readonly kind: "other"; readonly what: string };

export interface DescribedApi {
  readonly title?: string;
  readonly version?: string;
  readonly description?: string;
  readonly baseUrl?: string;
  readonly auth: readonly WantedAuth[];
}

/**
 * A parsed API document. Its operations are read lazily; an operation that cannot be read is returned with the reason.
 */
export interface ReadDocument {
  readonly api: DescribedApi;
  readonly operations: Iterable<ReadOperation>;
}

export type ReadOperation =
  | { readonly kind: "operation"; readonly operation: DescribedOperation }
  | { readonly kind: "refused"; readonly name: string; readonly reason: string };
