import type { Confirmation } from "../../../executor/confirmations.js";
import { cutAtWord } from "../../../util/text.js";
import { riskPart } from "../call-lines.js";
import { toConfirmationPage } from "../../../operations/calls/call-pages.js";
import { allConfirmations } from "../../../operations/calls/confirmations.js";
import { blocks, bold, count, dim, line, type Line } from "../../../terminal/lines.js";
import { revealedJson, revealedName } from "../../../terminal/reveal.js";
import { engineCommand } from "../session.js";
import { describeSpan } from "../../../util/time-words.js";

export const approvals = engineCommand(async (engine, input, context) => {
  const { confirmations, runtime } = await engine.stages();
  const isAll = input.flag("all");
  const found = isAll ? await allConfirmations(confirmations) : await confirmations.list();
  context.reply({ approvals: found.map(toConfirmationPage) }, () => approvalsLines(found, runtime.now(), isAll));
});

export function approvalsLines(found: readonly Confirmation[], now: number, isAll: boolean): Line[] {
  if (found.length === 0) {
    return [line(0, isAll ? "No approvals are stored. Old ones are deleted." : "No call is waiting for approval.")];
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
  "`anygpt mcp approve ID` shows the complete call and asks; `anygpt mcp deny ID` denies it. The first 8 characters of the id are enough.";
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
