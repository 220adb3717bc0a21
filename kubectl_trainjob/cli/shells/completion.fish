# fish completion for kubectl-trainjob
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
