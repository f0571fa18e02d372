import { describeLibraryStep, type Hint, type NextStep, renderHint, toNextSteps } from "./model/next-steps.js";

/**
 * All error codes, each with its meaning, HTTP status and exit code. `docs/reference/errors.md` is generated from this
 * table.
 */
export const ERRORS = {
  INVALID_REQUEST: { http: 400, exit: 1, retryable: false, meaning: "The request is malformed." },
  TOOL_VALIDATION_ERROR: {
    http: 400,
    exit: 1,
    retryable: false,
    meaning: "The arguments do not match the tool's input schema.",
  },
  IDEMPOTENCY_REQUIRED: {
    http: 400,
    exit: 1,
    retryable: false,
    meaning: "The policy requires an idempotency key for calls with this risk.",
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
    meaning: "The policy or the user denied the call.",
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
  RESULT_NOT_FOUND: {
    http: 404,
    exit: 2,
    retryable: false,
    meaning: "No stored result with this id exists for the caller; it may have expired or been dropped.",
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
    meaning: "The call failed at the server, or before it reached the server.",
  },
  RESULT_TOO_LARGE: { http: 502, exit: 3, retryable: false, meaning: "The server's response exceeds the size limit." },
  TOOL_EXECUTION_TIMEOUT: { http: 504, exit: 3, retryable: false, meaning: "The server did not respond in time." },
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
  /** The HTTP status with which the REST API reports this error. */
  readonly http: number;
  /** The exit code of a CLI command that fails with this error. */
  readonly exit: number;
  /**
   * Whether the same unchanged request usually succeeds later. `DiscoveryError.retryable` says it for one error, because
   * it depends on the cause.
   */
  readonly retryable: boolean;
  readonly meaning: string;
}

/** An error code: a key of `ERRORS`. */
export type ErrorCode = keyof typeof ERRORS;

/** Whether the server ran the tool. If `unknown`, repeating the call can run the tool twice. */
export type Executed = "yes" | "no" | "unknown";

/** The parts of a `DiscoveryError` besides its code and message. */
export interface ErrorOptions {
  /** What the caller should do next. A plain string is shown unchanged by every surface (CLI, MCP, REST, library). */
  hint?: Hint | undefined;
  /** Structured details for the caller and the log. They must not contain a secret. */
  facts?: Readonly<Record<string, unknown>>;
  server?: string | undefined;
  tool?: string | undefined;
  executed?: Executed;
  cause?: unknown;
}

/**
 * The server, the tool and other details of the failed call. `about` adds them to an error that does not have them yet.
 */
export interface Concern {
  readonly server?: string;
  readonly tool?: string;
  readonly request_id?: string;
  readonly executed?: Executed;
  /** Set if the error is the stored outcome of an earlier call with the same idempotency key. */
  readonly replayed?: true;
  readonly original_request_id?: string;
}

/**
 * The only error class of the library. `message` states what happened and to what; `nextSteps` states what to do next.
 */
export class DiscoveryError extends Error {
  readonly code: ErrorCode;
  /** What the caller should do next, as data. `hint` renders these steps as text. */
  readonly nextSteps: readonly NextStep[];
  /** Structured details. Which members are present depends on `code`. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly server: string | undefined;
  readonly tool: string | undefined;
  /** Whether the server ran the tool. */
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

  /** The HTTP status, the exit code and the meaning of `code`. */
  get entry(): ErrorEntry {
    return ERRORS[this.code];
  }

  /**
   * Whether the same unchanged call can succeed later, without any other action. It always agrees with the hint: only a
   * retryable error says "Call again". A call that may have run is never retryable.
   */
  get retryable(): boolean {
    return this.executed === "no" && this.nextSteps.some(({ action }) => action === "retry");
  }

  /**
   * `nextSteps` as text, in terms of the library's methods. The other surfaces (CLI, MCP, REST) render `nextSteps` in
   * their own terms.
   */
  get hint(): string | undefined {
    return renderHint(this.nextSteps, describeLibraryStep);
  }

  /** Returns a copy of the error with some of its parts replaced. */
  with({ code = this.code, message = this.message, ...options }: ErrorChanges): DiscoveryError {
    const { nextSteps: hint, server, tool, facts, executed, cause } = this;
    return new DiscoveryError(code, message, { hint, server, tool, facts, executed, cause, ...options });
  }

  /**
   * Returns a copy of the error with the server, the tool and other details of the failed call. Values that the error
   * already has take precedence.
   */
  about({ server, tool, executed, ...facts }: Concern): DiscoveryError {
    return this.with({
      server: this.server ?? server,
      tool: this.tool ?? tool,
      facts: { ...facts, ...this.facts },
      executed: this.executed === "no" ? (executed ?? "no") : this.executed,
    });
  }
}

/** The parts of an error that `DiscoveryError.with` can replace. */
export interface ErrorChanges extends ErrorOptions {
  readonly code?: ErrorCode;
  readonly message?: string;
}

/**
 * Converts a thrown value to a `DiscoveryError`. A value of any other class is caused by a defect in the gateway: the
 * caller gets INTERNAL_ERROR, and the log gets the stack trace.
 */
export function toDiscoveryError(error: unknown, executed: Executed = "unknown"): DiscoveryError {
  if (error instanceof DiscoveryError) return error;
  return new DiscoveryError("INTERNAL_ERROR", "The gateway failed to process the request because of a defect.", {
    hint: "Search the gateway's log for the request id, and report the defect with these log lines.",
    executed,
    cause: error,
  });
}
