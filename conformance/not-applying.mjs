// Scenarios that the gateway does not have to pass, each with why. Everything else has to.
const NOT_APPLYING = [
  {
    role: "server",
    pattern: /^tasks-/,
    why: "The extension io.modelcontextprotocol/tasks is not offered.",
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

/** Why a scenario does not apply; undefined when it does. */
export function notApplying(role, scenario) {
  return NOT_APPLYING.find((one) => one.role === role && one.pattern.test(scenario))?.why;
}
