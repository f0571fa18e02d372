/** The kinds of things that a request asks for and that a tool does. */
export const ACTIONS = ["read", "list", "create", "update", "delete", "send", "run", "compute"] as const;

export type Action = (typeof ACTIONS)[number];

const VERBS: Readonly<Record<Action, string>> = {
  read: `get read fetch retrieve view show check inspect describe display obtain load download monitor track preview
    explain tell see`,
  list: "list search find query lookup browse enumerate discover count explore filter recommend suggest scan locate identify",
  create: `create add insert generate register write schedule draft build produce compose save upload store append
    design install import initialize make post put book order buy subscribe reserve record plan clone fork copy duplicate
    grant enroll pay purchase initiate`,
  update: `update change edit modify set rename move replace enable disable assign adjust configure patch mark resize
    rotate crop transfer merge reorder complete close reopen archive lock unlock toggle restore turn
    activate deactivate approve reject suspend hide mute unmute block unblock pin unpin promote demote dismiss accept
    decline reschedule extend increase decrease reset`,
  delete: `delete remove cancel clear drop destroy erase revoke purge uninstall unsubscribe unassign unfollow trash wipe
    discard terminate detach`,
  send: "send notify publish share reply forward broadcast tweet invite submit email message text comment",
  run: "run execute start play stop pause restart trigger deploy launch skip invoke click navigate press resume test call rerun retry redeliver",
  compute: `calculate compute convert translate analyze analyse estimate summarize summarise compare predict solve
    evaluate classify detect extract validate verify parse encode decode transform simulate measure optimize`,
};

const BY_VERB: ReadonlyMap<string, Action> = new Map(
  ACTIONS.flatMap((action) => VERBS[action].split(/\s+/u).map((verb) => [verb, action] as const)),
);

/** Verbs of requests that are nearly always nouns in the names of tools: "refund the order", but `list_refunds`. */
const VERBS_OF_REQUESTS: Readonly<Partial<Record<Action, string>>> = {
  read: "look watch",
  create: "bill charge credit debit file fund give hire invoice log note refund sign tag label take",
  update: "bump correct fix lower raise shift switch",
  send: "alert mail phone ping text",
  run: "dial fire kick ring",
};

const BY_VERB_OF_REQUEST: ReadonlyMap<string, Action> = new Map(
  ACTIONS.flatMap((action) => (VERBS_OF_REQUESTS[action] ?? "").split(" ").map((verb) => [verb, action] as const)),
);

/**
 * Words that are verbs only where a verb can stand: "post a message", but not "the message", "a blog post" or "all
 * comments".
 */
const ALSO_NOUNS = new Set(
  `block book call comment copy count display email filter forward lock mark merge message order patch plan play post preview
  query purchase record reset retry scan search set share start stop store test text track trash tweet turn view`.split(
    /\s+/u,
  ),
);

/** The action that this verb names; undefined if it is not a verb of the list. */
export function actionOf(verb: string): Action | undefined {
  return BY_VERB.get(verb);
}

/** The action that this word names where a request uses it as a verb, although it is usually a noun. */
export function actionOfNoun(word: string): Action | undefined {
  return BY_VERB_OF_REQUEST.get(word);
}

/** Whether the word can also be a noun, so that only its position tells which of the two it is. */
export function isAlsoNoun(verb: string): boolean {
  return ALSO_NOUNS.has(verb);
}

/** Whether the action changes nothing. */
export function isReading(action: Action): boolean {
  return action === "read" || action === "list" || action === "compute";
}
