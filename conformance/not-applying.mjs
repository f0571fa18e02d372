// Scenarios that do not apply to the gateway, each with the reason. All other scenarios have to pass.
const NOT_APPLYING = [
  {
    role: "server",
    pattern: /^tasks-required-task-error$/,
    why: "No tool of the gateway needs a client that knows tasks: for any other it keeps the request open.",
  },
  {
    role: "server",
    pattern: /^tasks-status-notifications$/,
    why: "The gateway sends no notifications of tasks, which it need not, and the scenario checks nothing.",
  },
  {
    role: "server",
    leg: "direct",
    pattern: /^tasks-/,
    why: "Tasks are what the gateway makes of long calls; the test server has none.",
  },
  {
    role: "client",
    pattern: /^auth\/(dpop|dpop-nonce)$/,
    why: "The extension for tokens bound to a key (DPoP) is not implemented.",
  },
  {
    role: "client",
    pattern: /^auth\/(client-credentials-jwt|client-credentials-basic)$/,
    why: "The extension for signing in as a machine (client credentials) is not implemented.",
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
