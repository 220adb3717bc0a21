"""The shells' halves of completion: each asks the program that is being typed, and shows what it answers.

The numbers are the bits of the last line, `:N`: 4 says that no file may stand here, 16 that only a directory may.
"""

from __future__ import annotations

# `=` and `:` are words of their own in COMP_WORDS, so only what follows them is replaced: the answers fit that.
_BASH = r"""# bash completion for kubectl-trainjob
_kubectl_trainjob() {
    local line directive=0 current=${COMP_WORDS[COMP_CWORD]}
    [[ $current == "=" ]] && current=""
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
            :*) directive=${line#:} ;;
            *) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
    done < <("$1" completion bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if (( directive & 16 )); then
        while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "$current")
    fi
    if type compopt &>/dev/null; then # bash 4 and later
        (( directive & 16 )) && compopt -o filenames
        (( directive & 20 )) && compopt +o default
    fi
}
complete -o default -F _kubectl_trainjob kubectl-trainjob
"""

_ZSH = r"""#compdef kubectl-trainjob
# zsh completion for kubectl-trainjob
_kubectl-trainjob() {
    local line value directive=0
    local -a candidates
    for line in "${(@f)$("$words[1]" completion zsh -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
        case $line in
            (:*) directive=${line#:} ;;
            (*$'\t'*) value=${line%%$'\t'*}; candidates+=("${value//:/\\:}:${line#*$'\t'}") ;;
            (?*) candidates+=("${line//:/\\:}") ;;
        esac
    done
    [[ $PREFIX == -*=* ]] && compset -P 1 '*='
    if (( directive & 16 )); then
        _path_files -/
    elif (( $#candidates )); then
        _describe -V -t values value candidates
    elif (( ! (directive & 4) )); then
        _files
    fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _kubectl-trainjob "$@" # found in $fpath
else
    compdef _kubectl-trainjob kubectl-trainjob
fi
"""

# Files are found by asking for those of a command without a name, which has no completion of its own.
_FISH = r"""# fish completion for kubectl-trainjob
function __kubectl_trainjob_candidates
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l option (string match -r -- '^-[^=]*=' $current)
    set -l directive 0
    for line in ($words[1] completion fish -- $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case ':*'
                set directive (string sub -s 2 -- $line)
            case '*'
                printf '%s\n' "$option$line"
        end
    end
    set -l files (complete -C "'' "(string replace -r -- '^-[^=]*=' '' "$current"))
    if test $directive -eq 0
        printf '%s\n' "$option"$files
    else if test $directive -eq 16
        printf '%s\n' "$option"(string match -r -- '.*/$' $files)
    end
end
complete -c kubectl-trainjob -f -a '(__kubectl_trainjob_candidates)'
"""

SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}
