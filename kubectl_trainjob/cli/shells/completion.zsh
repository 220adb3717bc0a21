#compdef kubectl-trainjob
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
