# Run by fish at its start in a terminal of apex: marks prompts and the output of commands (OSC 133),
# and tells the directory (OSC 7).
function __apex_prompt --on-event fish_prompt
    printf '\033]133;A\007'
    printf '\033]7;file://%s%s\007' $hostname (string replace --all '%' '%25' -- $PWD)
end
function __apex_preexec --on-event fish_preexec
    printf '\033]133;C\007'
end
function __apex_postexec --on-event fish_postexec
    printf '\033]133;D;%s\007' $status
end
functions --copy fish_prompt __apex_own_prompt
function fish_prompt
    __apex_own_prompt
    printf '\033]133;B\007'
end
