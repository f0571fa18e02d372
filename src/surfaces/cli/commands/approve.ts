import type { Stages } from "../../../gateway/stages.js";
import { DiscoveryError, ERRORS } from "../../../errors.js";
import type { Confirmation } from "../../../executor/confirmations.js";
import { toConfirmationPage } from "../../../operations/calls/call-pages.js";
import { answerConfirmation, findWaiting } from "../../../operations/calls/confirmations.js";
import { ask, isAttended } from "../../../terminal/questions.js";
import { callLines } from "../call-lines.js";
import type { Context } from "../context.js";
import { BAD, BLANK, GOOD, line, WARNING } from "../../../terminal/lines.js";
import { revealedName } from "../../../terminal/reveal.js";
import { engineCommand } from "../session.js";
import { describeSpan } from "../../../util/time-words.js";

export const approve = engineCommand(async (engine, input, context) => {
  const stages = await engine.stages();
  const { confirmations, runtime } = stages;
  const waiting = await findWaiting(input.argument("id"), confirmations, runtime.now());
  if (!isAttended(context)) throw unattended(waiting.id);
  const { call } = waiting;
  if (call === undefined) throw unreadable(waiting.id);
  const left = describeSpan(waiting.expiresAt - runtime.now());
  context.note([
    line(0, WARNING, ` ${waiting.actor} requests this call (the request expires in ${left}):`),
    ...callLines({ toolId: waiting.tool, ...call }),
    BLANK,
  ]);
  const answer = await ask(`Allow ${revealedName(waiting.tool)} to run once with exactly these arguments?`, context);
  if (answer === "unanswered") return tellUnanswered(waiting, context);
  const verdict = answer === "yes" ? "approved" : "denied";
  return await settle(waiting, verdict, { stages, context });
});

export const deny = engineCommand(async (engine, input, context) => {
  const stages = await engine.stages();
  const waiting = await findWaiting(input.argument("id"), stages.confirmations, stages.runtime.now());
  await settle(waiting, "denied", { stages, context });
});

/** The exit code of `approve`: 0 only if the user approved the call. */
async function settle(
  { id }: Confirmation,
  verdict: "approved" | "denied",
  { stages, context }: { stages: Stages; context: Context },
): Promise<number> {
  const decided = await answerConfirmation(id, verdict, stages);
  context.reply(toConfirmationPage(decided), () =>
    verdict === "approved" ? approvedLines(decided) : deniedLines(decided),
  );
  return verdict === "approved" ? 0 : ERRORS.POLICY_DENIED.exit;
}

function approvedLines({ tool, expiresAt, decidedAt = expiresAt }: Confirmation) {
  const within = describeSpan(expiresAt - decidedAt);
  return [
    line(0, GOOD, ` Approved. ${revealedName(tool)} may run once, with exactly these arguments, within ${within}.`),
    line(2, "The call does not start automatically: the caller has to repeat it unchanged."),
  ];
}

function deniedLines({ tool }: Confirmation) {
  return [
    line(0, BAD, ` Denied. The call of ${revealedName(tool)} will not run.`),
    line(2, "If the caller repeats it, the error says that a user denied it."),
  ];
}

function tellUnanswered({ id, ...waiting }: Confirmation, context: Context): number {
  context.reply(toConfirmationPage({ id, ...waiting }), () => [
    line(0, `Nothing was decided: ${id} is still waiting for approval.`),
  ]);
  return ERRORS.CONFIRMATION_REQUIRED.exit;
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
  return new DiscoveryError("POLICY_DENIED", `The call of ${id} cannot be shown: it was encrypted with another key.`, {
    hint: [
      { action: "run-command", command: `anygpt mcp deny ${id}`, purpose: "deny it" },
      "Then let the caller make the call again.",
    ],
    facts: { approval_id: id },
  });
}
