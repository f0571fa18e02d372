import type { Handler } from "../command.js";

// The scripts call `anygpt __complete`, so they never become outdated. Completions contain no character that a shell
// interprets.
const BASH = `# bash completion of anygpt
_anygpt() {
  local IFS=$'\\n'
  COMPREPLY=($(anygpt __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _anygpt anygpt
`;

// Works as a file `_anygpt` in zsh's fpath and with `eval`, where zsh's completion system may not be loaded yet.
const ZSH = `#compdef anygpt
_anygpt() {
  local -a candidates
  candidates=("\${(@f)$(anygpt __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${candidates[1]}" ]]; then compadd -a candidates; else _files; fi
}
if [[ "\${funcstack[1]}" == _anygpt ]]; then
  _anygpt "$@"
else
  (( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit -i }
  compdef _anygpt anygpt
fi
`;

const FISH = `# fish completion of anygpt
complete -c anygpt -f -a '(anygpt __complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
complete -c anygpt -l config -r -F
complete -c anygpt -l args-file -r -F
complete -c anygpt -l catalog -r -F
complete -c anygpt -l queries -r -F
`;

const POWERSHELL = `# PowerShell completion of anygpt
Register-ArgumentCompleter -Native -CommandName anygpt -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
  anygpt __complete -- @words "$wordToComplete" 2>$null | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`;

const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL };

export const completion: Handler = async (input, context) => {
  const shell = input.argument("shell");
  const script = SCRIPTS[shell] ?? "";
  if (context.isJson) context.json({ shell, script });
  else context.io.stdout.write(script);
};
