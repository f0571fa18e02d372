import type { AskPerson } from "../../../model/call.js";
import type { Caller } from "../asking-back/conversation.js";
import { toForm, toVerdict } from "../question-form.js";

/** For a task no other round of its request comes that could bring the person's word: the task itself asks for it. */
export function askInTask({ peer, isAnswered }: Caller, otherwise: AskPerson): AskPerson {
  return async (question, signal) => {
    if (peer === undefined || isAnswered?.() !== true) return await otherwise(question, signal);
    const form = toForm(question);
    if (form === undefined) return "unanswered";
    const inTime = AbortSignal.timeout(question.ttlMs);
    const ends = signal === undefined ? inTime : AbortSignal.any([signal, inTime]);
    const answer = await peer.request({ method: "elicitation/create", params: form }, ends);
    return answer.kind === "result" ? toVerdict(answer.result) : "unanswered";
  };
}
