import type { Handler } from "../command.js";
import { findAdapter, toReadable } from "../adapters/find-adapter.js";
import { inspectLines } from "../adapters/inspect-lines.js";
import { toAdapterPage } from "../adapters/inspect-page.js";
import { readAdapter } from "../adapters/read-adapter.js";
import { withEngine } from "../session.js";

export const inspectAdapter: Handler = (input, context) =>
  withEngine(context, async (engine) => {
    const stages = await engine.stages();
    const { variables } = stages;
    const adapter = findAdapter(input.argument("server"), stages);
    const connection = toReadable(adapter.connection, (text) => variables.resolve(text));
    const document = await context.wait(
      readAdapter(adapter.name, connection, context.io),
      () => `Reading ${adapter.connection.document}…`,
    );
    const page = toAdapterPage(adapter, document, variables);
    if (context.isJson) context.json(page);
    else context.show(inspectLines(page));
    return 0;
  });
