import type { AskPerson } from "../../../model/call.js";
import type { McpCaller } from "../client-requests/multi-round-trip-call.js";
import { toElicitationForm, toVerdict } from "../question-form.js";

/**
 * Returns a function that asks the user. If the call has become a task, it asks through an input request of the task,
 * because no further tools/call request can carry the user's response; otherwise it calls `otherwise`.
 */
export function askInTask({ peer, isAnswered }: McpCaller, otherwise: AskPerson): AskPerson {
  return async (question, signal) => {
    if (peer === undefined || isAnswered?.() !== true) return await otherwise(question, signal);
    const form = toElicitationForm(question);
    if (form === undefined) return "unanswered";
    const inTime = AbortSignal.timeout(question.ttlMs);
    const ends = signal === undefined ? inTime : AbortSignal.any([signal, inTime]);
    const answer = await peer.request({ method: "elicitation/create", params: form }, ends);
    return answer.kind === "result" ? toVerdict(answer.result) : "unanswered";
  };
}
