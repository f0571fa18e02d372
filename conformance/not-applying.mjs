// Scenarios that do not apply to the gateway, each with the reason. All other scenarios have to pass.
const NOT_APPLYING = [
  {
    role: "server",
    pattern: /^tasks-required-task-error$/,
    why: "No tool of the gateway requires task support: for a client without it, the gateway keeps the request open.",
  },
  {
    role: "server",
    pattern: /^tasks-status-notifications$/,
    why: "The gateway does not send the optional task notifications, and the scenario checks nothing.",
  },
  {
    role: "server",
    leg: "direct",
    pattern: /^tasks-/,
    why: "The gateway turns long calls into tasks; the test server itself has no tasks.",
  },
  {
    role: "client",
    pattern: /^auth\/(dpop|dpop-nonce)$/,
    why: "The DPoP extension (tokens bound to a key) is not implemented.",
  },
  {
    role: "client",
    pattern: /^auth\/(client-credentials-jwt|client-credentials-basic)$/,
    why: "The client credentials extension is not implemented.",
  },
  {
    role: "client",
    pattern: /^auth\/enterprise-managed-authorization$/,
    why: "The extension for sign-in by an enterprise's identity provider is not implemented.",
  },
  {
    role: "client",
    pattern: /^auth\/wif-jwt-bearer$/,
    why: "The extension for workload identities is not implemented.",
  },
];

/** The reason why a scenario does not apply (to this leg), or undefined if it applies. */
export function notApplying(role, scenario, leg) {
  const isMeant = (one) => one.role === role && (one.leg === undefined || one.leg === leg);
  return NOT_APPLYING.find((one) => isMeant(one) && one.pattern.test(scenario))?.why;
}
