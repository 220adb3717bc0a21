# bash completion for kubectl-trainjob
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
