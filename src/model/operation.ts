/** How the arguments of a tool become one HTTP request. Made from a document, kept with the tool's definition. */
export interface RestOperation {
  /** In capitals. */
  readonly method: string;
  /** Below the base address: `/repos/{owner}/issues`. */
  readonly path: string;
  readonly parameters: readonly RestParameter[];
  readonly body?: RestBody;
  /** What the operation needs is not needed: the document says `security: []`. */
  readonly isOpen?: true;
  /** The header in which the API takes an idempotency key for this operation. */
  readonly idempotencyHeader?: string;
  readonly risk?: string;
  readonly idempotent?: boolean;
  readonly reversible?: boolean;
  readonly category?: string;
  readonly deprecated?: true;
  /** What the document says of answers that are no success, by status or `default`. */
  readonly errors?: Readonly<Record<string, string>>;
  /** Arguments that the document gives as an example. */
  readonly example?: Readonly<Record<string, unknown>>;
  readonly documentation?: string;
}

export interface RestParameter {
  /** The name among the tool's arguments, which may differ where two places use the same name. */
  readonly argument: string;
  readonly name: string;
  readonly in: "path" | "query" | "header" | "cookie";
  readonly style: "simple" | "label" | "matrix" | "form" | "spaceDelimited" | "pipeDelimited" | "deepObject";
  readonly explode: boolean;
  readonly allowReserved?: true;
  readonly required?: true;
  /** The value is sent as JSON text instead of by style. */
  readonly isJson?: true;
}

export interface RestBody {
  readonly contentType: string;
  readonly kind: "json" | "form" | "multipart" | "text" | "binary";
  readonly required?: true;
  /** The whole body is one argument … */
  readonly argument?: string;
  /** … or each member is one. */
  readonly members?: readonly RestMember[];
}

export interface RestMember {
  readonly argument: string;
  readonly name: string;
  /** Of a form: how a list or an object is written. */
  readonly style?: "form" | "spaceDelimited" | "pipeDelimited" | "deepObject";
  readonly explode?: boolean;
  /** Of a part: its own type. */
  readonly contentType?: string;
  /** The argument is the path of a file that is sent. */
  readonly isFile?: true;
}
