import { convertInThread } from "../../adapters/convert-in-thread.js";
import type { ConvertedDocument } from "../../adapters/convert-document.js";
import { DiscoveryError } from "../../errors.js";
import type { RuntimeEnvironment } from "../../gateway/runtime-environment.js";
import type { RestConnection } from "../../model/server.js";
import { readDocument } from "../../upstreams/rest/document.js";
import { createGuardedFetch } from "../../util/net/guarded-fetch.js";

const MAX_READ_MS = 30_000;

/** Reads an adapter's API document from its file or URL. Sends no credentials. */
export async function readAdapter(
  server: string,
  connection: RestConnection,
  { env, signal }: { readonly env: RuntimeEnvironment["env"]; readonly signal?: AbortSignal | undefined },
): Promise<ConvertedDocument> {
  const { document } = connection;
  const allowInternal = URL.canParse(document) ? [new URL(document).origin] : [];
  const guarded = createGuardedFetch({ server, allowInternal, env });
  let converted: ConvertedDocument | undefined;
  const convert = async (text: string): Promise<ConvertedDocument> =>
    (converted = await convertInThread(text, connection));
  try {
    await readDocument(connection, { server, guarded, convert, memory: {}, timeoutMs: MAX_READ_MS }, signal);
  } finally {
    guarded.close();
  }
  if (converted !== undefined) return converted;
  throw new DiscoveryError("SERVER_CONNECTION_ERROR", `The API document of ${server} could not be read.`, { server });
}
