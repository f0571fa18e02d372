import type { ServerConnection, RestAuth, RestConnection } from "../model/server.js";

/** A value in a server's connection that looks like a secret and is not a variable reference. */
export interface PlainSecret {
  /** Where the value is, for users: `env.GITHUB_TOKEN`, `headers.Authorization`, `args[2]`, `url`. */
  readonly where: string;
  /** A suggested name for an environment variable that holds this value. */
  readonly variable: string;
  readonly value: string;
}

/** Finds values in a connection that look like secrets. Prefers false positives to missed secrets. */
export function findSecrets(connection: ServerConnection, server: string): PlainSecret[] {
  const found: PlainSecret[] = [];
  replaceSecrets(connection, server, (secret) => {
    found.push(secret);
    return secret.value;
  });
  return found;
}

/**
 * Replaces each secret in the connection with the result of `replace`. Values with variable references are left
 * unchanged.
 */
export function replaceSecrets(
  connection: ServerConnection,
  server: string,
  replace: (secret: PlainSecret) => string,
): ServerConnection {
  const prefix = toVariable(server);
  if (connection.kind === "built-in") return connection;
  if (connection.kind === "rest") return inRest(connection, prefix, replace);
  if (connection.kind !== "stdio") {
    const headers = mapEntries(connection.headers, (name, text) => {
      const [, scheme = "", value = ""] = /^((?:Bearer|Basic|Token|token|bearer)\s+)?([^]*)$/.exec(text) ?? [];
      if (!looksSecret(name, value) && scheme === "") return text;
      const variable = toVariable(/^authorization$/i.test(name) ? `${prefix}_TOKEN` : `${prefix}_${name}`);
      return isPlain(value) ? `${scheme}${replace({ where: `headers.${name}`, variable, value })}` : text;
    });
    const { oauth } = connection;
    const secret = oauth?.clientSecret;
    const signIn =
      secret === undefined || !isPlain(secret)
        ? {}
        : {
            oauth: {
              ...oauth,
              clientSecret: replace({
                where: "oauth.clientSecret",
                variable: toVariable(`${prefix}_CLIENT_SECRET`),
                value: secret,
              }),
            },
          };
    return { ...connection, headers, url: inAddress(connection.url, prefix, replace), ...signIn };
  }
  const env = mapEntries(connection.env, (name, value) => inVariable(name, value, { prefix, replace }));
  const args = connection.args.map((word, index) =>
    inArgument(word, connection.args[index - 1], { index, prefix, replace }),
  );
  return { ...connection, env, args };
}

/**
 * Replaces secrets in the value of an environment variable. The value is a secret itself, or a URL or JSON text that
 * contains secrets.
 */
function inVariable(name: string, value: string, { prefix, replace }: Omit<ArgumentContext, "index">): string {
  const where = `env.${name}`;
  const inside = (secret: PlainSecret): string => replace({ ...secret, where });
  if (isJsonText(value)) return inJson(value, prefix, inside);
  if (looksSecret(name, value)) return replace({ where, variable: toVariable(name), value });
  return /^https?:\/\//i.test(value) ? inAddress(value, prefix, inside) : value;
}

function isJsonText(value: string): boolean {
  if (!/^\s*[{[]/.test(value)) return false;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

/** A string member in JSON text. Escapes are not decoded, because the replacement must fit between the same quotes. */
const MEMBER = /"((?:[^"\\]|\\.)*)"(\s*:\s*)"((?:[^"\\]|\\.)*)"/g;

function inJson(text: string, prefix: string, replace: (secret: PlainSecret) => string): string {
  return text.replace(MEMBER, (whole, name: string, gap: string, written: string) => {
    const [, scheme = "", value = ""] = /^((?:Bearer|Basic|Token)\s+)?([^]*)$/i.exec(written) ?? [];
    if (!isPlain(value) || (scheme === "" && !looksSecret(name, value))) return whole;
    const variable = toVariable(/^authorization$/i.test(name) ? `${prefix}_TOKEN` : `${prefix}_${name}`);
    return `"${name}"${gap}"${scheme}${replace({ where: "", variable, value })}"`;
  });
}

/** Replaces secrets in a REST connection. Every value in a credential field is a secret. */
function inRest(connection: RestConnection, prefix: string, replace: (secret: PlainSecret) => string): RestConnection {
  const { auth, headers } = connection;
  const hide = (where: string, variable: string, value: string): string =>
    isPlain(value) ? replace({ where, variable: toVariable(`${prefix}_${variable}`), value }) : value;
  const hidden = mapEntries(headers, (name, value) =>
    looksSecret(name, value) ? hide(`headers.${name}`, name, value) : value,
  );
  return { ...connection, headers: hidden, ...(auth === undefined ? {} : { auth: inAuth(auth, hide) }) };
}

function inAuth(auth: RestAuth, hide: (where: string, variable: string, value: string) => string): RestAuth {
  switch (auth.kind) {
    case "bearer":
      return { ...auth, token: hide("auth.token", "TOKEN", auth.token) };
    case "basic":
      return { ...auth, password: hide("auth.password", "PASSWORD", auth.password) };
    case "api-key":
      return { ...auth, value: hide("auth.value", "API_KEY", auth.value) };
    case "client-credentials":
      return { ...auth, clientSecret: hide("auth.clientSecret", "CLIENT_SECRET", auth.clientSecret) };
  }
}

const NAME =
  /token|secret|passw|pwd|api_?-?key|apikey|access_?-?key|private_?-?key|credential|auth|(?:^|[_-])(?:key|pat|dsn|pass)$/i;
const SHAPE =
  /^(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[abprs]|hf|npm|lin_api|ntn|secret|ctx7sk|AKIA|ASIA|AIza|SG|shpat|dop_v1|pypi)[-_.]?[\w.-]{8,}|^eyJ[\w-]+\.[\w-]+\./;
const HARMLESS = /^(?:true|false|none|null|\d{1,5}|https?:\/\/[^@?]*|[./~][^:@]*)$/i;

/** Whether a path segment looks like a secret: some servers use an unguessable URL as their only protection. */
function isKeyInPath(segment: string): boolean {
  return /^[\w-]{24,}$/.test(segment) && segment.replace(/\D/g, "").length > 2;
}

/** Whether the value of a variable, option or header with this name is probably a secret. */
export function looksSecret(name: string, value: string): boolean {
  return isPlain(value) && (SHAPE.test(value) || (NAME.test(name) && !HARMLESS.test(value)) || hasPassword(value));
}

function isPlain(value: string): boolean {
  return value.trim() !== "" && !/(?<!\$)\$\{/.test(value);
}

/** Whether the value contains a password, as in `postgres://user:password@host`. */
function hasPassword(value: string): boolean {
  return /^[a-z][\w+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i.test(value);
}

interface ArgumentContext {
  readonly index: number;
  readonly prefix: string;
  readonly replace: (secret: PlainSecret) => string;
}

/**
 * Replaces secrets in one argument of a command line: `--api-key=…`, the argument after `--api-key`, `API_KEY=…` and
 * `Authorization: …` anywhere in it, and arguments with the shape of a secret.
 */
function inArgument(word: string, before: string | undefined, context: ArgumentContext): string {
  const { index, prefix, replace } = context;
  const where = `args[${index}]`;
  const [, option, value] = /^(--?[\w-]+=)([^]*)$/.exec(word) ?? [];
  if (option !== undefined && value !== undefined) {
    const name = option.replace(/^-+|=$/g, "");
    if (!looksSecret(name, value)) return `${option}${inText(value, context)}`;
    return `${option}${replace({ where, variable: toVariable(`${prefix}_${name}`), value })}`;
  }
  const text = inText(word, context);
  if (text !== word) return text;
  const isNamed =
    before !== undefined && /^--?[\w-]+$/.test(before) && looksSecret(before, word) && !word.startsWith("-");
  if (!isNamed && !looksSecret("", word)) return word;
  const name = isNamed ? (before ?? "").replace(/^-+/, "") : `ARGUMENT_${index + 1}`;
  return replace({ where, variable: toVariable(`${prefix}_${name}`), value: word });
}

const ASSIGNMENT = /(?<![\w-])([A-Za-z_]\w{0,127})=("[^"]*"|'[^']*'|[^\s"';&|]+)/g;
const HEADER = /^([\w-]{1,128}):(\s*(?:(?:Bearer|Basic|Token)\s+)?)(\S+)$/i;

function inText(text: string, { index, prefix, replace }: ArgumentContext): string {
  const where = `args[${index}]`;
  if (/^https?:\/\//i.test(text)) return inAddress(text, prefix, (secret) => replace({ ...secret, where }));
  const [, header = "", gap = "", credential = ""] = HEADER.exec(text) ?? [];
  if (looksSecret(header, credential) && !credential.startsWith("//")) {
    return `${header}:${gap}${replace({ where, variable: toVariable(`${prefix}_${header}`), value: credential })}`;
  }
  return text.replace(ASSIGNMENT, (whole, name: string, written: string) => {
    const quote = /^["']/.exec(written)?.[0] ?? "";
    const value = quote === "" ? written : written.slice(1, -1);
    if (!looksSecret(name, value)) return whole;
    return `${name}=${quote}${replace({ where, variable: toVariable(name), value })}${quote}`;
  });
}

/** Replaces an API key in the query or path of a URL, and a password before the host. */
function inAddress(url: string, prefix: string, replace: (secret: PlainSecret) => string): string {
  const query = url.replace(/([?&])([\w.-]+)=([^&#]+)/g, (whole, mark: string, name: string, value: string) =>
    looksSecret(name, value)
      ? `${mark}${name}=${replace({ where: "url", variable: toVariable(`${prefix}_${name}`), value })}`
      : whole,
  );
  const path = query.replace(/(?<=^https?:\/\/[^?#]*\/)[^/?#]+/gi, (segment) =>
    isPlain(segment) && (SHAPE.test(segment) || isKeyInPath(segment))
      ? replace({ where: "url", variable: `${prefix}_KEY`, value: segment })
      : segment,
  );
  return path.replace(/^(https?:\/\/[^/\s:@]*:)([^/\s@]+)(?=@)/i, (whole, head: string, value: string) =>
    isPlain(value) ? `${head}${replace({ where: "url", variable: `${prefix}_PASSWORD`, value })}` : whole,
  );
}

function mapEntries(map: Readonly<Record<string, string>>, convert: (key: string, value: string) => string) {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, convert(key, value)]));
}

function toVariable(text: string): string {
  const name = text
    .toUpperCase()
    .replace(/[^A-Z0-9_]+/g, "_")
    .replace(/^_+|_+$/g, "");
  return /^[A-Z_]/.test(name) ? name.slice(0, 64) : `_${name}`.slice(0, 64);
}
