// Well-formed but invalid values that let a server start without an account.
const WORD = "placeholder0000000000000000000000";
/** Servers that check the form of a credential before they answer. */
const FORMS = [
  [/ACCOUNT_SID\/.*API_KEY/i, `AC${"0".repeat(32)}/SK${"0".repeat(32)}:${WORD}`],
  [/STRIPE/i, `sk_test_${WORD}`],
  [/SLACK.*TEAM/i, "T00000000"],
  [/SLACK/i, `xoxb-${WORD}`],
  [/GITHUB/i, `ghp_${WORD}`],
  [/MONGO/i, "mongodb://127.0.0.1:9/placeholder"],
  [/(?:DATABASE|POSTGRES|PG).*(?:URL|URI)|^postgres/i, "postgres://placeholder:placeholder@127.0.0.1:9/placeholder"],
  [/REDIS.*(?:URL|URI)/i, "redis://127.0.0.1:9"],
  [/RESEND/i, `re_${WORD}`],
  [/SENDGRID/i, `SG.${WORD}`],
];

export function placeholderFor(name) {
  const form = FORMS.find(([pattern]) => pattern.test(name));
  if (form !== undefined) return form[1];
  if (/(?:URL|ENDPOINT|BASE|INSTANCE|SITE)$/.test(name)) return "http://127.0.0.1:9";
  if (/(?:HOST|DOMAIN|SERVER)$/.test(name)) return "127.0.0.1";
  if (name.endsWith("PORT")) return "9";
  if (/(?:TIMEOUT|LIMIT|RETRIES|SIZE)(?:_MS)?$/.test(name)) return "1000";
  if (/(?:PATH|DIR|FOLDER|ROOT)$/.test(name)) return ".";
  if (/(?:URI|DSN|CONNECTION_STRING)$/.test(name)) return "http://127.0.0.1:9/placeholder";
  if (/EMAIL|USER_?NAME$/.test(name)) return "placeholder@example.com";
  return WORD;
}

/** Whether an argument in a README is a placeholder for a value of the user: a path, an address or a credential. */
export function isPlaceholder(argument) {
  return /[<>{}$]|\byour|x{3}|\*{3}|\.{3}|^\/(?!\/)|^~|^[A-Z]:\\|path\/to|_(?:KEY|TOKEN|SID|SECRET)\b|:\/\//i.test(
    argument,
  );
}

/** A path becomes `folder`; another placeholder becomes a well-formed value. */
export function fillArgument(argument, folder) {
  if (!isPlaceholder(argument)) return argument;
  const flag = /^--?[\w-]+=/.exec(argument)?.[0] ?? "";
  const value = argument.slice(flag.length);
  const isPath = /^[/~.]|^[A-Z]:\\|path|folder|dir/i.test(value) && !/:\/\//.test(value);
  return `${flag}${isPath ? folder : placeholderFor(value.toUpperCase())}`;
}
