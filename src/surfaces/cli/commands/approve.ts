import { userInfo } from "node:os";
import type { Stages } from "../../../compose.js";
import { DiscoveryError, ERRORS } from "../../../errors.js";
import type { Confirmation } from "../../../executor/confirmations.js";
import { ask, isAttended } from "../ask.js";
import { callLines } from "../call-lines.js";
import type { Handler } from "../command.js";
import type { Context } from "../context.js";
import { answered, findWaiting } from "../find-confirmation.js";
import { BAD, BLANK, GOOD, line, WARNING } from "../lines.js";
import { revealedName } from "../reveal.js";
import { withEngine } from "../session.js";
import { describeSpan } from "../time-words.js";
import { toListed } from "./approvals.js";

export const approve: Handler = (input, context) =>
  withEngine(context, async (engine) => {
    const stages = await engine.stages();
    const { confirmations, place } = stages;
    const waiting = await findWaiting(input.argument("id"), confirmations, place.now());
    if (!isAttended(context)) throw unattended(waiting.id);
    const { call } = waiting;
    if (call === undefined) throw unreadable(waiting.id);
    const left = describeSpan(waiting.expiresAt - place.now());
    context.note([
      line(0, WARNING, ` ${waiting.actor} wants this to run; the question expires in ${left}:`),
      ...callLines({ toolId: waiting.tool, ...call }),
      BLANK,
    ]);
    const answer = await ask(`Let ${revealedName(waiting.tool)} run once with exactly these arguments?`, context);
    if (answer === "unanswered") return tellUnanswered(waiting, context);
    const verdict = answer === "yes" ? "approved" : "denied";
    return await settle(waiting, verdict, { stages, context });
  });

export const deny: Handler = (input, context) =>
  withEngine(context, async (engine) => {
    const stages = await engine.stages();
    const waiting = await findWaiting(input.argument("id"), stages.confirmations, stages.place.now());
    await settle(waiting, "denied", { stages, context });
    return 0;
  });

/** Gives the exit code of an approval: whoever does not approve has not done what the command is for. */
async function settle(
  { id }: Confirmation,
  verdict: "approved" | "denied",
  { stages, context }: { stages: Stages; context: Context },
): Promise<number> {
  const { confirmations, place } = stages;
  const decided = await confirmations.answer(id, verdict, userName());
  if (decided === undefined) {
    const meanwhile = await confirmations.find(id);
    throw meanwhile === undefined ? gone(id) : answered(meanwhile, place.now());
  }
  if (context.isJson) context.json(toListed(decided));
  else context.show(verdict === "approved" ? approvedLines(decided) : deniedLines(decided));
  return verdict === "approved" ? 0 : ERRORS.POLICY_DENIED.exit;
}

function approvedLines({ tool, expiresAt, decidedAt = expiresAt }: Confirmation) {
  const within = describeSpan(expiresAt - decidedAt);
  return [
    line(0, GOOD, ` Approved. ${revealedName(tool)} may run once, with exactly these arguments, within ${within}.`),
    line(2, "Nothing runs by itself: whoever asked has to repeat the same call unchanged."),
  ];
}

function deniedLines({ tool }: Confirmation) {
  return [
    line(0, BAD, ` Denied. The call of ${revealedName(tool)} does not run.`),
    line(2, "Whoever repeats it is told that a person refused it."),
  ];
}

function tellUnanswered({ id, ...waiting }: Confirmation, context: Context): number {
  if (context.isJson) context.json(toListed({ id, ...waiting }));
  else context.show([line(0, `Nothing was decided: ${id} still waits.`)]);
  return ERRORS.CONFIRMATION_REQUIRED.exit;
}

function unattended(id: string): DiscoveryError {
  return new DiscoveryError("CONFIRMATION_REQUIRED", "Approving a call needs a terminal, and here is none.", {
    hint: `It is meant for a person who looks at the call first, so there is no option for it. Open a terminal and run \`anygpt mcp approve ${id}\` there.`,
    facts: { approval_id: id },
  });
}

function unreadable(id: string): DiscoveryError {
  return new DiscoveryError("POLICY_DENIED", `What ${id} is about cannot be shown: it was sealed with another key.`, {
    hint: `Nobody can agree to what nobody sees. Refuse it with \`anygpt mcp deny ${id}\`, and have the call made again.`,
    facts: { approval_id: id },
  });
}

function gone(id: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", `${id} is not there any more.`, {
    hint: "`anygpt mcp approvals` lists those that wait.",
  });
}

/** Who answers, for the record. A user without an entry in the system's table has no name. */
export function userName(): string {
  try {
    return userInfo().username || "local";
  } catch {
    return "local";
  }
}
