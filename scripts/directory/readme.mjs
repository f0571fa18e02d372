// Reads how a package's own README starts it: arguments after the package name, and environment variables.
const MAX_README_LENGTH = 400_000;
const MAX_ARGUMENTS = 12;
const VARIABLE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
/** A value that is not specific to the user: a mode, a region, a number. */
const PLAIN = /^(?!.*(?:your|xxx|key|token|secret|pass|user|host|example))(?:[a-z]{2,12}|[a-z]{2}-[a-z]+-\d|\d{1,6})$/i;
/** Variables of the runtime, which are not specific to the server. */
const RUNTIME_VARIABLE = /^(?:NODE_|NPM_|ASDF_|NVM_|LC_|XDG_|HTTP_PROXY|HTTPS_PROXY|NO_PROXY|MCP_LOG|LOG_LEVEL)/;

/** `{ args, variables }` of the README's client configurations; the most frequent form of the arguments is used. */
export function readReadme(text, packageName) {
  const readme = text.slice(0, MAX_README_LENGTH);
  const forms = new Map();
  for (const list of stringLists(readme)) {
    const at = list.findIndex((item) => isPackage(item, packageName));
    if (at === -1) continue;
    const after = list.slice(at + 1).filter((item) => item !== "-y");
    // `npx --package NAME -- PROGRAM …`: the arguments come after the program.
    const rest = after[0] === "--" ? after.slice(2) : after;
    if (rest.length > MAX_ARGUMENTS) continue;
    const key = JSON.stringify(rest);
    forms.set(key, (forms.get(key) ?? 0) + 1);
  }
  const [best] = [...forms].sort((a, b) => b[1] - a[1] || a[0].length - b[0].length);
  return { args: best === undefined ? [] : JSON.parse(best[0]), variables: environmentBlocks(readme) };
}

function isPackage(item, name) {
  return item === name || (item.startsWith(`${name}@`) && !item.slice(name.length + 1).includes("/"));
}

function* stringLists(text) {
  for (const [, inner] of text.matchAll(/\bargs["']?\s*[:=]\s*\[([^\]]{0,2000})\]/g)) {
    yield [...inner.matchAll(/"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'/g)].map((match) => match[1] ?? match[2] ?? "");
  }
}

/** Names in `"env": { … }` blocks, in their order, each with the share of the blocks that have it and, where it is a plain word such as `sandbox`, its value. */
function environmentBlocks(text) {
  const names = new Map();
  let blocks = 0;
  for (const [, inner] of text.matchAll(/\benv["']?\s*[:=]\s*\{([^}]{0,4000})\}/g)) {
    blocks += 1;
    const found = inner.matchAll(/["']?([A-Z][A-Z0-9_]+)["']?\s*[:=]\s*(?:["']([^"'\n]*)["'])?/g);
    for (const [name, value] of new Map([...found].map(([, name, value = ""]) => [name, value]))) {
      if (!isServerVariable(name)) continue;
      const known = names.get(name);
      names.set(name, {
        count: (known?.count ?? 0) + 1,
        value: known?.value ?? (PLAIN.test(value) ? value : undefined),
      });
    }
  }
  return [...names].map(([name, { count, value }]) => ({
    name,
    share: count / blocks,
    ...(value === undefined ? {} : { value }),
  }));
}

export function isServerVariable(name) {
  return VARIABLE.test(name) && !RUNTIME_VARIABLE.test(name) && name.length <= 60;
}

/** Names of variables in the error message of a server. Skips names that end in `_FILE`: another variable contains the value itself. */
export function variablesIn(stderr) {
  return [...new Set(stderr.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? [])].filter(
    (name) => isServerVariable(name) && !/^(?:ERR_|MODULE_|E[A-Z]+_)|_FILE$/.test(name),
  );
}

/** The subcommand that starts the server, as the program's own usage text lists it. */
export function subcommandIn(usage) {
  return /^\s+(mcp|serve|server|start|stdio|run)\b.*\b(?:mcp|server|stdio)\b/im.exec(usage)?.[1];
}
