import { randomBytes } from "node:crypto";
import { toRuntimeEnvironment } from "../../../gateway/runtime-environment.js";
import { hashToken, isToken, TOKEN_BYTES, toExpiry, toToken, toTokenEntry } from "../../http/token-entry.js";
import { readStandardInput } from "../../../operations/arguments/read-arguments.js";
import { invalidRequest } from "../../../util/invalid-request.js";
import type { Handler } from "../command.js";
import { blocks, verbatim } from "../../../terminal/lines.js";

/** The token is written to standard output and nowhere else. */
export const createToken: Handler = async (input, { io, reply }) => {
  const { now } = toRuntimeEnvironment({ cwd: io.cwd, env: io.env });
  const token = toToken(randomBytes(TOKEN_BYTES));
  const until = input.text("expires");
  const entry = toTokenEntry({
    name: input.argument("name"),
    token,
    scopes: input.list("scope"),
    view: input.text("view"),
    expires: until === undefined ? undefined : toExpiry(until, now()),
  });
  reply({ token, entry }, () =>
    blocks([
      [`The token of ${entry.name}, which is shown only once:`, verbatim(2, token)],
      [
        "Add this to http.tokens in the gateway's configuration. A running gateway reloads it automatically:",
        verbatim(2, JSON.stringify(entry)),
      ],
    ]),
  );
};

export const printHash: Handler = async (_input, { io, reply }) => {
  const token = (await readStandardInput(io.stdin, io.signal)).trim();
  if (!isToken(token)) {
    const hint = "A token is one line of 32 to 512 letters, digits and . _ ~ + / -.";
    throw invalidRequest("Standard input does not contain a valid token.", hint);
  }
  const hash = hashToken(token);
  reply({ hash }, () => [verbatim(0, hash)]);
};
