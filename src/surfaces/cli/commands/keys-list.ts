import type { Handler } from "../command.js";
import { BAD, blocks, line } from "../lines.js";
import { openKeyDesk } from "../toolfiles/key-desk.js";
import { keyLines, toKeyPage } from "../toolfiles/key-page.js";

export const listKeys: Handler = async (_input, context) => {
  const { keys, place } = openKeyDesk(context);
  const [known, active] = [await keys.list(), await keys.active()];
  const pages = known.keys.map((key) => toKeyPage(key, { now: place.now(), active: active?.keyId }));
  const problems = known.problems.map(({ file, keyId, reason }) => ({
    file,
    ...(keyId === undefined ? {} : { key_id: keyId }),
    reason,
  }));
  if (context.isJson) context.json({ keys: pages, problems });
  else if (pages.length === 0 && problems.length === 0) {
    context.show([
      line(0, "There is no key yet."),
      line(2, "`anygpt mcp keys init` makes one of your own; `anygpt mcp keys trust` takes somebody else's."),
    ]);
  } else {
    const broken = problems.map(({ file, reason }) => [line(0, BAD, ` ${file} is not used: ${reason}.`)]);
    context.show(blocks([...pages.map((page) => keyLines(page, place.now())), ...broken]));
  }
  return 0;
};
