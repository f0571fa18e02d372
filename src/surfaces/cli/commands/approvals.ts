import type { Confirmation } from "../../../executor/confirmations.js";
import { cutAtWord } from "../../../util/text.js";
import { callLines, riskPart } from "../call-lines.js";
import { toConfirmationPage } from "../../../operations/calls/call-pages.js";
import { allConfirmations, answerConfirmation, findWaiting } from "../../../operations/calls/confirmations.js";
import { BAD, BLANK, blocks, bold, count, dim, GOOD, line, type Line, WARNING } from "../../../terminal/lines.js";
import { revealedJson, revealedName } from "../../../terminal/reveal.js";
import { engineCommand } from "../session.js";
import { describeSpan } from "../../../util/time-words.js";
import type { Stages } from "../../../gateway/stages.js";
import { ERRORS } from "../../../errors.js";
import { findReviewable } from "../../../operations/calls/find-reviewable.js";
import { ask, isAttended } from "../../../terminal/questions.js";
import type { Context } from "../context.js";

export const approvals = engineCommand(async (engine, input, context) => {
  const { confirmations, runtime } = await engine.stages();
  const isAll = input.flag("all");
  const found = isAll ? await allConfirmations(confirmations) : await confirmations.list();
  context.reply({ approvals: found.map(toConfirmationPage) }, () => approvalsLines(found, runtime.now(), isAll));
});

export function approvalsLines(found: readonly Confirmation[], now: number, isAll: boolean): Line[] {
  if (found.length === 0) {
    return [
      line(
        0,
        isAll
          ? "No approvals are stored. Old approvals are deleted automatically."
          : "No call is waiting for approval.",
      ),
    ];
  }
  const waiting = found.filter(({ state }) => state === "pending").length;
  const heading = isAll
    ? `${count(found.length, "approval")}, ${waiting} waiting`
    : `${count(waiting, "call")} ${waiting === 1 ? "is" : "are"} waiting for approval`;
  return blocks([
    [line(0, bold(heading), ":")],
    ...found.map((one) => approvalLines(one, now)),
    waiting === 0 ? [] : [line(0, ADVICE)],
  ]);
}

const ADVICE =
  "`anygpt mcp approve ID` shows the complete call and asks whether it may run; `anygpt mcp deny ID` denies it. The first 8 characters of the id are enough.";
const LONGEST_ARGUMENTS = 160;

function approvalLines(one: Confirmation, now: number): Line[] {
  const { id, tool, call, actor, state, selfService, askedAt } = one;
  const given = call === undefined ? "cannot be decrypted with this machine's key" : revealedJson(call.arguments);
  return [
    line(0, bold(id)),
    line(
      2,
      revealedName(tool),
      ...(call === undefined ? [] : [", risk ", riskPart(call.risk), ` (${call.riskOrigin})`]),
    ),
    line(2, `requested by ${revealedName(actor)} ${describeSpan(now - askedAt)} ago; ${describeState(one, now)}`),
    line(2, dim(`arguments: ${cutAtWord(given, LONGEST_ARGUMENTS)}`)),
    ...(state === "pending" && selfService ? [line(2, dim("The caller may also confirm this call itself."))] : []),
  ];
}

function describeState({ state, expiresAt, decidedBy = "an unknown user" }: Confirmation, now: number): string {
  const left = describeSpan(expiresAt - now);
  switch (state) {
    case "pending":
      return `expires in ${left}`;
    case "approved":
      return `approved by ${decidedBy}, not used yet, expires in ${left}`;
    case "denied":
      return `denied by ${decidedBy}`;
    case "redeemed":
      return "used";
    case "expired":
      return `expired ${describeSpan(now - expiresAt)} ago`;
  }
}

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

/** Records the decision and returns the exit code of `approve`: 0 only if the user approved the call. */
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
    line(2, "If the caller repeats the call, the error says that a user denied it."),
  ];
}
