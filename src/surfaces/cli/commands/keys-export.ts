import { DiscoveryError } from "../../../errors.js";
import type { Handler } from "../command.js";
import { verbatim } from "../lines.js";
import { openKeyDesk } from "../toolfiles/key-desk.js";

/** The line alone, so that it can be sent into a file. */
export const exportKey: Handler = async (input, context) => {
  const { keys } = openKeyDesk(context);
  const keyId = input.argument("key") || (await keys.active())?.keyId;
  if (keyId === undefined) {
    throw new DiscoveryError("INVALID_REQUEST", "You have no key yet.", { hint: "`anygpt mcp keys init` makes one." });
  }
  const publicLine = await keys.exportLine(keyId);
  if (context.isJson) context.json({ key_id: keyId, public_key: publicLine });
  else context.show([verbatim(0, publicLine)]);
  return 0;
};
