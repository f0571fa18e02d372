import { DiscoveryError } from "../../errors.js";
import type { Confirmation } from "../../executor/confirmations.js";
import type { Stages } from "../../gateway/stages.js";
import { findWaiting } from "./confirmations.js";

/** A call that waits for approval, with its arguments. */
export type ReviewableCall = Confirmation & { readonly call: NonNullable<Confirmation["call"]> };

/**
 * Finds a call that waits for approval. A user must review the call, so this throws if there is no terminal or if the
 * arguments cannot be decrypted.
 */
export async function findReviewable(
  id: string,
  { confirmations, runtime }: Pick<Stages, "confirmations" | "runtime">,
  isAttended: boolean,
): Promise<ReviewableCall> {
  const waiting = await findWaiting(id, confirmations, runtime.now());
  const { call } = waiting;
  if (!isAttended) throw unattended(waiting.id);
  if (call === undefined) throw unreadable(waiting.id);
  return { ...waiting, call };
}

function unattended(id: string): DiscoveryError {
  return new DiscoveryError("CONFIRMATION_REQUIRED", "Approving a call needs a terminal, and this command has none.", {
    hint: [
      "A user has to review the call, so there is no option that approves it. Open a terminal.",
      { action: "run-command", command: `anygpt mcp approve ${id}`, purpose: "review and approve it there" },
    ],
    facts: { approval_id: id },
  });
}

function unreadable(id: string): DiscoveryError {
  return new DiscoveryError(
    "POLICY_DENIED",
    `The call of the approval request ${id} cannot be shown: it was encrypted with another key.`,
    {
      hint: [
        { action: "run-command", command: `anygpt mcp deny ${id}`, purpose: "deny it" },
        "Then let the caller make the call again.",
      ],
      facts: { approval_id: id },
    },
  );
}
