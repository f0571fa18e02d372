/** How the arguments of a tool become one HTTP request. Converted from the API's document and stored with the tool's definition. */
export interface RestOperation {
  /** The HTTP method in capitals. */
  readonly method: string;
  /** The path below the base URL: `/repos/{owner}/issues`. */
  readonly path: string;
  readonly parameters: readonly RestParameter[];
  readonly body?: RestBody;
  /** The operation needs no credentials: the document has `security: []`. */
  readonly isOpen?: true;
  /** The request header for the idempotency key of this operation. */
  readonly idempotencyHeader?: string;
  readonly risk?: string;
  readonly idempotent?: boolean;
  readonly reversible?: boolean;
  readonly category?: string;
  readonly deprecated?: true;
  /** Descriptions of error responses in the document, by status or `default`. */
  readonly errors?: Readonly<Record<string, string>>;
  /** Example arguments from the document. */
  readonly example?: Readonly<Record<string, unknown>>;
  readonly documentation?: string;
}

/** An argument that is sent in the path, query, header or cookie of an HTTP request. */
export interface RestParameter {
  /** The name of the tool's argument. It differs from `name` if two locations use the same name. */
  readonly argument: string;
  readonly name: string;
  readonly in: "path" | "query" | "header" | "cookie";
  readonly style: "simple" | "label" | "matrix" | "form" | "spaceDelimited" | "pipeDelimited" | "deepObject";
  readonly explode: boolean;
  readonly allowReserved?: true;
  readonly required?: true;
  /** The value is sent as JSON text, not by `style`. */
  readonly isJson?: true;
}

/** How arguments form the body of an HTTP request. */
export interface RestBody {
  readonly contentType: string;
  readonly kind: "json" | "form" | "multipart" | "text" | "binary";
  readonly required?: true;
  /** The argument that is the whole body; otherwise `members` has one argument per member. */
  readonly argument?: string;
  readonly members?: readonly RestMember[];
}

/** A member of a JSON object, form or multipart body. */
export interface RestMember {
  readonly argument: string;
  readonly name: string;
  /** In a form: how a list or an object is serialized. */
  readonly style?: "form" | "spaceDelimited" | "pipeDelimited" | "deepObject";
  readonly explode?: boolean;
  /** The content type of a multipart part. */
  readonly contentType?: string;
  /** The argument is the path of a file to upload. */
  readonly isFile?: true;
}
