const PREFIX = "anygpt://servers/";
const WITH_SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/** What we name the resources of all servers by. */
export const RESOURCE_TEMPLATE = `${PREFIX}{server}/{+uri}`;

export interface ServerResource {
  readonly server: string;
  readonly uri: string;
}

/**
 * The address of a server's resource among those of all servers: the server's name in front of the whole of it. It stays
 * as it is, because what a client puts into a template could not be told from what we had escaped in it.
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

/** Whose resource it is and what it is called there; undefined for an address of another kind. */
export function parseSharedUri(shared: string): ServerResource | undefined {
  const [, server, rest] = /^anygpt:\/\/servers\/([^/]+)\/(.+)$/s.exec(shared) ?? [];
  if (server === undefined || rest === undefined) return undefined;
  try {
    // Whoever escapes the whole address means the same.
    const uri = WITH_SCHEME.test(rest) || rest.includes("{") ? rest : decodeURIComponent(rest);
    return { server: decodeURIComponent(server), uri };
  } catch {
    return undefined;
  }
}
