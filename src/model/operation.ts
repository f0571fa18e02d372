/**
 * Describes how the arguments of a tool become one HTTP request. Derived from the API document and stored with the
 * tool's definition.
 */
export interface RestOperation {
  /** The HTTP method in upper case. */
  readonly method: string;
  /** The path template below the base URL, such as `/repos/{owner}/issues`. */
  readonly path: string;
  readonly parameters: readonly RestParameter[];
  readonly body?: RestBody;
  /** Set if the operation needs no credentials: it has `security: []` in the API document. */
  readonly isOpen?: true;
  /** The name of the request header for the idempotency key of a call. */
  readonly idempotencyHeader?: string;
  readonly risk?: string;
  readonly idempotent?: boolean;
  readonly reversible?: boolean;
  readonly category?: string;
  readonly deprecated?: true;
  /** Descriptions of error responses from the API document, by status code or `default`. */
  readonly errors?: Readonly<Record<string, string>>;
  /** Example arguments from the API document. */
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
  /** Set if the value is sent as JSON instead of being serialized by `style`. */
  readonly isJson?: true;
}

/** How arguments form the body of an HTTP request. */
export interface RestBody {
  readonly contentType: string;
  readonly kind: "json" | "form" | "multipart" | "text" | "binary";
  readonly required?: true;
  /** The argument that is the whole body. If undefined, `members` has one argument per member of the body. */
  readonly argument?: string;
  readonly members?: readonly RestMember[];
}

/** A member of a JSON object, form or multipart body. */
export interface RestMember {
  readonly argument: string;
  readonly name: string;
  /** How a list or an object is serialized in a form body. */
  readonly style?: "form" | "spaceDelimited" | "pipeDelimited" | "deepObject";
  readonly explode?: boolean;
  /** The content type of this part of a multipart body. */
  readonly contentType?: string;
  /** Set if the argument is the path of a file to upload. */
  readonly isFile?: true;
}
