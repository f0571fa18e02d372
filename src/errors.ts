/** The one table of error codes. `docs/errors.md` is held equal to it by a test. */
export const ERRORS = {
  INVALID_REQUEST: { http: 400, exit: 1, retryable: false, meaning: "The request is malformed." },
  TOOL_VALIDATION_ERROR: {
    http: 400,
    exit: 1,
    retryable: false,
    meaning: "The arguments do not fit the tool's schema.",
  },
  IDEMPOTENCY_REQUIRED: {
    http: 400,
    exit: 1,
    retryable: false,
    meaning: "The policy wants an idempotency key for a call of such risk.",
  },
  UNAUTHORIZED: { http: 401, exit: 4, retryable: false, meaning: "Nobody could be made out who is calling." },
  SCOPE_REQUIRED: {
    http: 403,
    exit: 4,
    retryable: false,
    meaning: "The tool requires scopes that the caller does not have.",
  },
  POLICY_DENIED: {
    http: 403,
    exit: 4,
    retryable: false,
    meaning: "The policy or a person refuses the call.",
  },
  TOOL_NOT_FOUND: {
    http: 404,
    exit: 2,
    retryable: false,
    meaning: "No such tool exists; the nearest names are listed.",
  },
  SERVER_NOT_FOUND: {
    http: 404,
    exit: 2,
    retryable: false,
    meaning: "No such server exists; the nearest names are listed.",
  },
  TOOL_DISABLED: { http: 403, exit: 4, retryable: false, meaning: "A rule of the configuration disables the tool." },
  TOOL_QUARANTINED: {
    http: 403,
    exit: 4,
    retryable: false,
    meaning: "The tool's definition changed and waits for a person's approval.",
  },
  CONFIRMATION_REQUIRED: {
    http: 403,
    exit: 4,
    retryable: false,
    meaning: "The call has to be confirmed before it runs.",
  },
  IDEMPOTENCY_IN_PROGRESS: {
    http: 409,
    exit: 3,
    retryable: true,
    meaning: "A call with the same key is still running.",
  },
  IDEMPOTENCY_OUTCOME_UNKNOWN: {
    http: 409,
    exit: 3,
    retryable: false,
    meaning: "A call with the same key was sent and nobody knows how it ended; it is not run again.",
  },
  IDEMPOTENCY_CONFLICT: {
    http: 422,
    exit: 3,
    retryable: false,
    meaning: "The key was used for a call with other arguments.",
  },
  RATE_LIMITED: {
    http: 429,
    exit: 3,
    retryable: true,
    meaning: "The limit of calls for such tools is used up for now; nothing was sent.",
  },
  OVERLOADED: {
    http: 503,
    exit: 3,
    retryable: true,
    meaning: "The server's queue is full or waited too long; nothing was sent.",
  },
  SERVER_CONNECTION_ERROR: {
    http: 502,
    exit: 3,
    retryable: true,
    meaning: "The server could not be started or reached.",
  },
  UPSTREAM_STARTING: {
    http: 503,
    exit: 3,
    retryable: true,
    meaning: "The server is still starting; call again shortly.",
  },
  UPSTREAM_UNAUTHORIZED: { http: 502, exit: 3, retryable: false, meaning: "The server refused our credentials." },
  TOOL_EXECUTION_ERROR: {
    http: 502,
    exit: 3,
    retryable: false,
    meaning: "The call failed at the server or on the way.",
  },
  RESULT_TOO_LARGE: { http: 502, exit: 3, retryable: false, meaning: "The server's answer exceeds the hard limit." },
  TOOL_EXECUTION_TIMEOUT: { http: 504, exit: 3, retryable: false, meaning: "The server did not answer in time." },
  CANCELLED: { http: 499, exit: 130, retryable: false, meaning: "The caller cancelled the call." },
  CONFIGURATION_ERROR: { http: 500, exit: 2, retryable: false, meaning: "The configuration is wrong or incomplete." },
  SIGNATURE_INVALID: {
    http: 500,
    exit: 2,
    retryable: false,
    meaning: "A tool file is not signed, not by a trusted key, or not as it was signed.",
  },
  AUDIT_UNAVAILABLE: {
    http: 503,
    exit: 3,
    retryable: false,
    meaning: "The call could not be recorded, so its result is withheld.",
  },
  INTERNAL_ERROR: {
    http: 500,
    exit: 3,
    retryable: false,
    meaning: "A defect in the gateway; the log has the details.",
  },
} as const satisfies Record<string, ErrorEntry>;

export interface ErrorEntry {
  readonly http: number;
  readonly exit: number;
  readonly retryable: boolean;
  readonly meaning: string;
}

export type ErrorCode = keyof typeof ERRORS;

/** Whether the tool ran at the upstream: what a caller needs to know before calling again. */
export type Executed = "yes" | "no" | "unknown";

export interface ErrorOptions {
  /** What to do next, in one sentence. */
  hint?: string | undefined;
  /** Structured details for the caller and the log. Never a secret. */
  facts?: Readonly<Record<string, unknown>>;
  server?: string | undefined;
  tool?: string | undefined;
  executed?: Executed;
  cause?: unknown;
}

/** What an error is about, where it does not say so itself. */
export interface Concern {
  readonly server?: string;
  readonly tool?: string;
  readonly request_id?: string;
  readonly executed?: Executed;
  /** The failure is that of an earlier call with the same idempotency key. */
  readonly replayed?: true;
  readonly original_request_id?: string;
}

/** The only error class. `message` says what happened and to what; `hint` says what to do next. */
export class DiscoveryError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly server: string | undefined;
  readonly tool: string | undefined;
  readonly executed: Executed;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "DiscoveryError";
    this.code = code;
    this.hint = options.hint;
    this.facts = options.facts ?? {};
    this.server = options.server;
    this.tool = options.tool;
    this.executed = options.executed ?? "no";
  }

  get entry(): ErrorEntry {
    return ERRORS[this.code];
  }

  /** The same error, told what it concerns. What it says itself stays. */
  about({ server, tool, executed, ...facts }: Concern): DiscoveryError {
    return new DiscoveryError(this.code, this.message, {
      hint: this.hint,
      server: this.server ?? server,
      tool: this.tool ?? tool,
      facts: { ...facts, ...this.facts },
      executed: this.executed === "no" ? (executed ?? "no") : this.executed,
      cause: this.cause,
    });
  }
}

/** Anything thrown that is not ours is a defect: the caller gets a code and a request id, the log the stack. */
export function toDiscoveryError(error: unknown, executed: Executed = "unknown"): DiscoveryError {
  if (error instanceof DiscoveryError) return error;
  return new DiscoveryError("INTERNAL_ERROR", "The gateway failed to carry out the request.", {
    hint: "Look for the request id in the gateway's log and report it.",
    executed,
    cause: error,
  });
}
