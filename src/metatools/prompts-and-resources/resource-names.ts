const PREFIX = "anygpt://servers/";
const WITH_SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/** The URI template under which the gateway lists the resources of all servers. */
export const RESOURCE_TEMPLATE = `${PREFIX}{server}/{+uri}`;

export interface ServerResource {
  readonly server: string;
  readonly uri: string;
}

/**
 * Returns the URI under which the gateway lists a server's resource: a prefix with the server's name, then the original
 * URI. The original URI is not percent-encoded: a client that expands a URI template percent-encodes values itself, and
 * the gateway could not distinguish these escape sequences from its own.
 */
export function toSharedUri({ server, uri }: ServerResource): string {
  return `${toPrefix(server)}${WITH_SCHEME.test(uri) ? uri : encodeURIComponent(uri)}`;
}

export function toSharedTemplate(server: string, uriTemplate: string): string {
  return `${toPrefix(server)}${uriTemplate}`;
}

function toPrefix(server: string): string {
  return `${PREFIX}${encodeURIComponent(server)}/`;
}

/** Splits a shared URI into the server and the original URI; undefined for any other URI. */
export function parseSharedUri(shared: string): ServerResource | undefined {
  const [, server, rest] = /^anygpt:\/\/servers\/([^/]+)\/(.+)$/s.exec(shared) ?? [];
  if (server === undefined || rest === undefined) return undefined;
  try {
    // Some clients percent-encode the whole original URI.
    const uri = WITH_SCHEME.test(rest) || rest.includes("{") ? rest : decodeURIComponent(rest);
    return { server: decodeURIComponent(server), uri };
  } catch {
    return undefined;
  }
}
