type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Variables that shells, terminals, editors and login sessions set and that no server depends on. All other variables
 * must be equal in the daemon and its client, because servers receive them by `${VAR}` or by inheritance.
 * `docs/how-to/background-gateway.md` lists these names.
 */
export const VOLATILE_NAMES: readonly string[] = [
  "_",
  "PWD",
  "OLDPWD",
  "SHLVL",
  "COLUMNS",
  "LINES",
  "TERM",
  "COLORTERM",
  "NO_COLOR",
  "FORCE_COLOR",
  "CLICOLOR",
  "CLICOLOR_FORCE",
  "LS_COLORS",
  "PS1",
  "PS2",
  "PROMPT",
  "PROMPT_COMMAND",
  "EDITOR",
  "VISUAL",
  "PAGER",
  "MANPAGER",
  "GIT_EDITOR",
  "GIT_PAGER",
  "LESS",
  "STY",
  "WINDOW",
  "WINDOWID",
  "VTE_VERSION",
  "WT_SESSION",
  "WT_PROFILE_ID",
  "XDG_SESSION_ID",
  "INVOCATION_ID",
  "JOURNAL_STREAM",
  "SYSTEMD_EXEC_PID",
  "SECURITYSESSIONID",
  "INIT_CWD",
  "CLAUDECODE",
  "CLAUDE_CODE_ENTRYPOINT",
  "CURSOR_TRACE_ID",
  "ANYGPT_DAEMON",
  "ANYGPT_LOG",
];

export const VOLATILE_PREFIXES: readonly string[] = [
  "TERM_",
  "SSH_",
  "TMUX",
  "ITERM_",
  "KITTY_",
  "WEZTERM_",
  "ALACRITTY_",
  "GHOSTTY_",
  "KONSOLE_",
  "GNOME_TERMINAL_",
  "VSCODE_",
  "ConEmu",
  "npm_lifecycle_",
  "npm_package_",
];

const names = new Set(VOLATILE_NAMES);

/**
 * The names of variables whose values differ, except volatile ones. Returns no values, because the result may be
 * logged.
 */
export function differingVariables(one: Environment, other: Environment): string[] {
  const all = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...all].filter((name) => one[name] !== other[name] && !isVolatile(name)).sort();
}

function isVolatile(name: string): boolean {
  return names.has(name) || VOLATILE_PREFIXES.some((prefix) => name.startsWith(prefix));
}
