export type ApprovalState = "pending" | "approved" | "denied" | "redeemed" | "expired";

/** What exactly is asked for: an approval holds for this and nothing else. */
export interface ApprovalSubject {
  readonly actor: string;
  readonly tool: string;
  /** Of everything that makes the call what it is; the store only compares it. */
  readonly binding: string;
}

export interface Approval extends ApprovalSubject {
  readonly id: string;
  readonly state: ApprovalState;
  /** What a person is shown: exactly what would run. */
  readonly shown: string;
  /** The caller may answer the question itself. */
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

export interface Verdict {
  readonly kind: "approved" | "denied";
  readonly by: string;
  readonly now: number;
  /** How long it counts: an approval can be redeemed, a refusal is not asked again. */
  readonly ttlMs: number;
}

/** All but a redeemed one expire. A clock that was set back makes nothing last longer than was said. */
export interface Approvals {
  /**
   * The same subject asked for again while the first is pending or approved is the first. What was asked once where only
   * a person may answer stays with the person, whoever asks for it again. Of one actor the newest hundred that nobody
   * answered are kept, so that nobody fills the store with questions: an older one is gone, as if it had expired.
   */
  ask(request: ApprovalRequest): Promise<Approval>;
  /** Undefined when nothing of that id is pending. */
  decide(id: string, verdict: Verdict): Promise<Approval | undefined>;
  /**
   * Exactly one caller gets it, once, and only for its very subject. `from` is the state that will do: a person's
   * approval, or the mere question where the caller may answer it.
   */
  redeem(
    id: string,
    subject: ApprovalSubject,
    from: "pending" | "approved",
    now: number,
  ): Promise<Approval | undefined>;
  /** What counts now for the subject: an approval that can be redeemed, else the newest question or refusal. */
  lookup(subject: ApprovalSubject, now: number): Promise<Approval | undefined>;
  find(id: string, now: number): Promise<Approval | undefined>;
  /** Newest first; without a state, those that are pending. */
  list(now: number, state?: ApprovalState): Promise<readonly Approval[]>;
}
