import { describeLibraryStep, type Hint, type NextStep, renderHint, toNextSteps } from "./model/next-steps.js";

/** All error codes, with the HTTP status and the exit code that stand for each. `docs/reference/errors.md` is generated from it. */
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
    meaning: "The policy requires an idempotency key for a call of this risk.",
  },
  UNAUTHORIZED: { http: 401, exit: 4, retryable: false, meaning: "The caller could not be identified." },
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
    meaning: "The policy or a user denied the call.",
  },
  TOOL_NOT_FOUND: {
    http: 404,
    exit: 2,
    retryable: false,
    meaning: "No tool has this name; the error lists the nearest names.",
  },
  SERVER_NOT_FOUND: {
    http: 404,
    exit: 2,
    retryable: false,
    meaning: "No server has this name; the error lists the nearest names.",
  },
  TOOL_DISABLED: { http: 403, exit: 4, retryable: false, meaning: "A rule in the configuration disables the tool." },
  TOOL_QUARANTINED: {
    http: 403,
    exit: 4,
    retryable: false,
    meaning: "The tool's definition is new or has changed, and an operator has to approve it.",
  },
  CONFIRMATION_REQUIRED: {
    http: 403,
    exit: 4,
    retryable: false,
    meaning: "The call must be confirmed before it runs.",
  },
  IDEMPOTENCY_IN_PROGRESS: {
    http: 409,
    exit: 3,
    retryable: true,
    meaning: "A call with the same idempotency key is still running.",
  },
  IDEMPOTENCY_OUTCOME_UNKNOWN: {
    http: 409,
    exit: 3,
    retryable: false,
    meaning:
      "A call with the same idempotency key was sent and its outcome is unknown; the gateway does not run it again.",
  },
  IDEMPOTENCY_CONFLICT: {
    http: 422,
    exit: 3,
    retryable: false,
    meaning: "The idempotency key was used for a call with different arguments.",
  },
  RATE_LIMITED: {
    http: 429,
    exit: 3,
    retryable: true,
    meaning: "The rate limit for these tools is exceeded; nothing was sent.",
  },
  OVERLOADED: {
    http: 503,
    exit: 3,
    retryable: true,
    meaning: "The server's queue is full, or the call waited in it too long; nothing was sent.",
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
    meaning: "The server is still starting; repeat the call in a few seconds.",
  },
  UPSTREAM_UNAUTHORIZED: {
    http: 502,
    exit: 3,
    retryable: false,
    meaning: "The server rejected the gateway's credentials.",
  },
  TOOL_EXECUTION_ERROR: {
    http: 502,
    exit: 3,
    retryable: false,
    meaning: "The call failed at the server or on the way to it.",
  },
  RESULT_TOO_LARGE: { http: 502, exit: 3, retryable: false, meaning: "The server's answer exceeds the size limit." },
  TOOL_EXECUTION_TIMEOUT: { http: 504, exit: 3, retryable: false, meaning: "The server did not answer in time." },
  CANCELLED: { http: 499, exit: 130, retryable: false, meaning: "The caller cancelled the call." },
  CONFIGURATION_ERROR: { http: 500, exit: 2, retryable: false, meaning: "The configuration is invalid or incomplete." },
  SIGNATURE_INVALID: {
    http: 500,
    exit: 2,
    retryable: false,
    meaning: "A tool file is unsigned, is signed by an untrusted key, or was changed after it was signed.",
  },
  AUDIT_UNAVAILABLE: {
    http: 503,
    exit: 3,
    retryable: false,
    meaning: "The call could not be written to the audit log, so its result is withheld.",
  },
  INTERNAL_ERROR: {
    http: 500,
    exit: 3,
    retryable: false,
    meaning: "A defect in the gateway; the gateway's log has the details.",
  },
} as const satisfies Record<string, ErrorEntry>;

/** The properties of one error code. */
export interface ErrorEntry {
  /** The HTTP status of the REST API. */
  readonly http: number;
  /** The exit code of the command line. */
  readonly exit: number;
  /** Whether the same request can succeed later without a change. */
  readonly retryable: boolean;
  readonly meaning: string;
}

/** What kind of error it is: the keys of `ERRORS`. */
export type ErrorCode = keyof typeof ERRORS;

/** Whether the tool ran at its server. With `unknown`, a repeated call can run the tool twice. */
export type Executed = "yes" | "no" | "unknown";

/** The parts of a `DiscoveryError` besides its code and message. */
export interface ErrorOptions {
  /** The next action. A string is plain advice that names nothing of one surface. */
  hint?: Hint | undefined;
  /** Structured details for the caller and the log. They must not contain a secret. */
  facts?: Readonly<Record<string, unknown>>;
  server?: string | undefined;
  tool?: string | undefined;
  executed?: Executed;
  cause?: unknown;
}

/** The server, tool and call that an error concerns, for errors that do not state them. */
export interface Concern {
  readonly server?: string;
  readonly tool?: string;
  readonly request_id?: string;
  readonly executed?: Executed;
  /** The error is the stored outcome of an earlier call with the same idempotency key. */
  readonly replayed?: true;
  readonly original_request_id?: string;
}

/** The only error class of the library. `message` states what happened and to what; `nextSteps` states what to do next. */
export class DiscoveryError extends Error {
  readonly code: ErrorCode;
  /** The next actions as data; `hint` renders them as text. */
  readonly nextSteps: readonly NextStep[];
  /** More details, which depend on `code`. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly server: string | undefined;
  readonly tool: string | undefined;
  /** Whether the tool ran at its server. */
  readonly executed: Executed;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "DiscoveryError";
    this.code = code;
    this.nextSteps = toNextSteps(options.hint);
    this.facts = options.facts ?? {};
    this.server = options.server;
    this.tool = options.tool;
    this.executed = options.executed ?? "no";
  }

  /** HTTP status, exit code and meaning of `code`. */
  get entry(): ErrorEntry {
    return ERRORS[this.code];
  }

  /** What to do next, in the terms of the library. The other surfaces render `nextSteps` themselves. */
  get hint(): string | undefined {
    return renderHint(this.nextSteps, describeLibraryStep);
  }

  /** The same error with other options. */
  with({ code = this.code, message = this.message, ...options }: ErrorChanges): DiscoveryError {
    const { nextSteps: hint, server, tool, facts, executed, cause } = this;
    return new DiscoveryError(code, message, { hint, server, tool, facts, executed, cause, ...options });
  }

  /** The same error with what it concerns. A value that the error has already takes precedence. */
  about({ server, tool, executed, ...facts }: Concern): DiscoveryError {
    return this.with({
      server: this.server ?? server,
      tool: this.tool ?? tool,
      facts: { ...facts, ...this.facts },
      executed: this.executed === "no" ? (executed ?? "no") : this.executed,
    });
  }
}

/** The parts of an error that `with` replaces. */
export interface ErrorChanges extends ErrorOptions {
  readonly code?: ErrorCode;
  readonly message?: string;
}

/** Converts a thrown value. Anything but a `DiscoveryError` is a defect: the caller gets INTERNAL_ERROR, the log gets the stack. */
export function toDiscoveryError(error: unknown, executed: Executed = "unknown"): DiscoveryError {
  if (error instanceof DiscoveryError) return error;
  return new DiscoveryError("INTERNAL_ERROR", "The gateway failed to process the request because of a defect.", {
    hint: "Search the gateway's log for the request id, and report the defect with what the log says.",
    executed,
    cause: error,
  });
}
