import type { RestBody, RestMember, RestParameter } from "../model/operation.js";

/** One operation of a document, whatever its format: what is said of it, and how its request is made. */
export interface DescribedOperation {
  /** Tells it from all others of its document, wherever it stands there: its method and path. */
  readonly key: string;
  readonly method: string;
  /** Below the base address, with `{name}` for each path parameter. */
  readonly path: string;
  /** What the document calls it, if it calls it anything. */
  readonly id?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly category?: string;
  readonly documentation?: string;
  readonly isDeprecated: boolean;
  /** It needs no authentication. */
  readonly isOpen: boolean;
  /** Another address than the document's own, at which the document places it. */
  readonly elsewhere?: string;
  readonly parameters: readonly DescribedParameter[];
  readonly body?: DescribedBody;
  readonly errors: Readonly<Record<string, string>>;
}

export interface DescribedParameter extends Omit<RestParameter, "argument" | "required" | "isJson" | "allowReserved"> {
  readonly isRequired: boolean;
  readonly isJson: boolean;
  readonly allowsReserved: boolean;
  readonly isDeprecated: boolean;
  /** As the document writes it, references included. */
  readonly schema: unknown;
  readonly description?: string;
  readonly example?: unknown;
}

export interface DescribedBody extends Pick<RestBody, "contentType" | "kind"> {
  /** Undefined where nothing is said of it: then what its members require counts. */
  readonly isRequired: boolean | undefined;
  /** As the document writes it, references included. */
  readonly schema: unknown;
  readonly description?: string;
  readonly example?: unknown;
  /** How a member of a form is written, beside its schema. */
  readonly encoding: (name: string) => MemberEncoding;
}

export type MemberEncoding = Partial<Pick<RestMember, "style" | "explode" | "contentType" | "isFile">>;

/** How an API wants to know who calls. */
export type WantedAuth =
  | { readonly kind: "bearer" | "basic" }
  | { readonly kind: "api-key"; readonly in: "header" | "query" | "cookie"; readonly name: string }
  | { readonly kind: "client-credentials"; readonly tokenUrl?: string; readonly scopes: readonly string[] }
  /** A way that adapters do not have; what the document calls it. */
  | { readonly kind: "other"; readonly what: string };

export interface DescribedApi {
  readonly title?: string;
  readonly version?: string;
  readonly description?: string;
  readonly baseUrl?: string;
  readonly auth: readonly WantedAuth[];
}

/** A document as it is read: its operations one by one, those that cannot be read as a reason. */
export interface ReadDocument {
  readonly api: DescribedApi;
  readonly operations: Iterable<ReadOperation>;
}

export type ReadOperation =
  | { readonly kind: "operation"; readonly operation: DescribedOperation }
  | { readonly kind: "refused"; readonly name: string; readonly reason: string };
