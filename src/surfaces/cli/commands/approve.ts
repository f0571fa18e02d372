import type { Stages } from "../../../gateway/stages.js";
import { ERRORS } from "../../../errors.js";
import type { Confirmation } from "../../../executor/confirmations.js";
import { toConfirmationPage } from "../../../operations/calls/call-pages.js";
import { findReviewable } from "../../../operations/calls/find-reviewable.js";
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
  const waiting = await findReviewable(input.argument("id"), stages, isAttended(context));
  const left = describeSpan(waiting.expiresAt - stages.runtime.now());
  context.note([
    line(0, WARNING, ` ${waiting.actor} requests this call (the request expires in ${left}):`),
    ...callLines({ toolId: waiting.tool, ...waiting.call }),
    BLANK,
  ]);
  const answer = await ask(`Allow ${revealedName(waiting.tool)} to run once with exactly these arguments?`, context);
  if (answer === "unanswered") {
    const text = `Nothing was decided: ${waiting.id} is still waiting for approval.`;
    context.reply(toConfirmationPage(waiting), () => [line(0, text)]);
    return ERRORS.CONFIRMATION_REQUIRED.exit;
  }
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
