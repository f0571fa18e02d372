export type ApprovalState = "pending" | "approved" | "denied" | "redeemed" | "expired";

/** The call that an approval covers. An approval is valid for exactly this subject and no other. */
export interface ApprovalSubject {
  readonly actor: string;
  readonly tool: string;
  /** Hash of the call. The store only compares it for equality. */
  readonly binding: string;
}

export interface Approval extends ApprovalSubject {
  readonly id: string;
  readonly state: ApprovalState;
  /** The text shown to the user who decides: exactly the call that would run. */
  readonly shown: string;
  /** Whether the caller may confirm the call itself. */
  readonly selfService: boolean;
  readonly askedAt: number;
  readonly expiresAt: number;
  readonly decidedBy?: string;
  readonly decidedAt?: number;
}

export interface ApprovalRequest extends ApprovalSubject {
  readonly id: string;
  readonly shown: string;
  readonly selfService: boolean;
  readonly now: number;
  readonly ttlMs: number;
}

export interface ApprovalVerdict {
  readonly kind: "approved" | "denied";
  readonly by: string;
  readonly now: number;
  /** Validity in milliseconds: how long an approval can be redeemed, or how long a denial answers further requests. */
  readonly ttlMs: number;
}

/** Every approval except a redeemed one expires. Setting the system clock back never extends its validity. */
export interface Approvals {
  /**
   * Creates an approval, or returns the existing one if an approval for the same subject is pending or approved. If one
   * request has `selfService: false`, the approval keeps `selfService: false`, even if a later request allows
   * self-service. The store keeps the newest 100 unanswered approvals of each actor, so that one actor cannot fill the
   * store; it deletes older ones.
   */
  ask(request: ApprovalRequest): Promise<Approval>;
  /** Stores the user's decision; undefined if no pending approval has this id. */
  decide(id: string, verdict: ApprovalVerdict): Promise<Approval | undefined>;
  /**
   * Uses up an approval. Succeeds for exactly one caller, once, and only for the same subject. `from` is the required
   * state: `approved` by a user, or `pending` if the caller may confirm the call itself.
   */
  redeem(
    id: string,
    subject: ApprovalSubject,
    from: "pending" | "approved",
    now: number,
  ): Promise<Approval | undefined>;
  /** Returns the valid approval for the subject: an approved one, otherwise the newest pending or denied one. */
  lookup(subject: ApprovalSubject, now: number): Promise<Approval | undefined>;
  /** Returns the newest approval of the subject that was redeemed and would not have expired yet. */
  findRedeemed(subject: ApprovalSubject, now: number): Promise<Approval | undefined>;
  find(id: string, now: number): Promise<Approval | undefined>;
  /** Returns the approvals in a state, newest first. Default of `state`: pending. */
  list(now: number, state?: ApprovalState): Promise<readonly Approval[]>;
}
