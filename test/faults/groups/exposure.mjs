/** @type {import("../rows.d.mts").Group} */
export const exposure = {
  letter: "X",
  title: "The HTTP surface",
  rows: [
    {
      name: "origins",
      ids: ["X1"],
      about: "60 values of Origin that are not allowed, and every form of the Host header",
      tests: [
        { file: "src/surfaces/http/origins.test.ts", named: "origins that are not allowed" },
        { file: "src/surfaces/http/admission.test.ts", named: "the header Origin" },
        { file: "src/surfaces/http/admission.test.ts", named: "the header Host" },
      ],
    },
    {
      name: "rebinding",
      ids: ["X3"],
      about: "DNS rebinding: the exact requests that a browser sends for a page whose name resolves to loopback",
      full: { count: 14, seconds: 8 },
      quick: { count: 3, seconds: 3 },
      run: (module) => module.rebinding,
    },
    {
      name: "open-starts",
      ids: ["X4"],
      about: "starts on addresses that other machines can reach, and the default token",
      tests: [
        { file: "src/surfaces/http/serve-http.test.ts", named: "the listening address" },
        { file: "src/surfaces/http/exposure.test.ts", named: "other machines" },
        { file: "src/surfaces/http/listen.test.ts" },
        { file: "src/surfaces/http/token.test.ts" },
      ],
    },
    {
      name: "wrong-tokens",
      ids: ["X5"],
      about: "60 invalid tokens, and valid tokens in the wrong part of a request",
      tests: [
        { file: "src/surfaces/http/oauth/oauth.test.ts", named: "invalid tokens" },
        { file: "src/surfaces/http/admission.test.ts", named: "is not authenticated by a token in the URL" },
      ],
    },
    {
      name: "pages",
      ids: ["X6", "X7"],
      about: "cross-site browser requests: preflights, forms, beacons",
      tests: [
        { file: "src/surfaces/http/admission.test.ts", named: "web pages" },
        { file: "src/surfaces/http/origins.test.ts", named: "an allowed origin" },
        { file: "src/surfaces/http/body.test.ts", named: "the Content-Type of a body" },
        {
          file: "src/surfaces/http/mcp-stateless.test.ts",
          named: "a body that a browser sends without a preflight request",
        },
      ],
    },
    {
      name: "large-bodies",
      ids: ["X8"],
      about: "request bodies that are too large, have a wrong length, never end or are compressed",
      full: { count: 50, seconds: 15 },
      quick: { count: 10, seconds: 4 },
      run: (module) => module.largeBodies,
    },
    {
      name: "slow-sockets",
      ids: ["X9"],
      about: "thousands of connections with slow headers and slow bodies, and oversized headers",
      full: { count: 5000, seconds: 85 },
      quick: { count: 300, seconds: 15 },
      run: (module) => module.slowSockets,
    },
    {
      name: "smuggling",
      ids: ["X10"],
      about: "HTTP request smuggling: requests whose end is ambiguous",
      full: { count: 2000, seconds: 15 },
      quick: { count: 300, seconds: 3 },
      run: (module) => module.smuggling,
    },
    {
      name: "token-guesses",
      ids: ["X11"],
      about: "token guessing: timing of rejections, and the number of guesses that are checked",
      full: { count: 10_000, seconds: 25 },
      quick: { count: 1000, seconds: 5 },
      run: (module) => module.tokenGuesses,
    },
    {
      name: "routes-and-callers",
      ids: ["X12"],
      about: "every path without a token, with wrong tokens, with proxy headers, with few scopes and with all scopes",
      tests: [
        { file: "src/surfaces/http/exposure.test.ts", named: "every path" },
        { file: "src/surfaces/http/exposure.test.ts", named: "an endpoint" },
        { file: "src/surfaces/http/exposure.test.ts", named: "a caller with a view" },
        { file: "src/surfaces/http/admission.test.ts", named: "a caller without a token" },
      ],
    },
    {
      name: "session-ids",
      ids: ["X13"],
      about: "session ids that are guessed, chosen by the client, of another caller or expired",
      tests: [
        { file: "src/surfaces/http/mcp-sessions.test.ts", named: "a session" },
        { file: "src/surfaces/mcp/over-http/sessions.test.ts", named: "finds a session only for its owner" },
      ],
    },
    {
      name: "internal-details",
      ids: ["X14"],
      about: "internal details in errors and response headers",
      tests: [
        { file: "src/surfaces/http/exposure.test.ts", named: "reveals no internal details in an error" },
        { file: "src/surfaces/http/admission.test.ts", named: "sends no header that identifies the software" },
        { file: "src/surfaces/http/serve-http.test.ts", named: "a defect" },
        { file: "src/surfaces/http/problem.test.ts" },
      ],
    },
  ],
  untried: {},
};
