# Started by apex in place of ~/.bashrc, which it runs; then it makes bash mark its prompts and the
# output of commands (OSC 133), and tell its directory (OSC 7).
[ -r ~/.bashrc ] && . ~/.bashrc

__apex_prompt() {
	local status=$?
	if [ -n "$__apex_ran" ]; then
		printf '\033]133;D;%s\007' "$status"
	fi
	__apex_ran=1
	printf '\033]7;file://%s%s\007' "$HOSTNAME" "${PWD//%/%25}"
	case $PS1 in
	*133\;A*) ;;
	*) PS1='\[\e]133;A\a\]'$PS1'\[\e]133;B\a\]' ;;
	esac
	return $status
}

if [ -n "${PROMPT_COMMAND[*]}" ]; then
	PROMPT_COMMAND=(__apex_prompt "${PROMPT_COMMAND[@]}")
else
	PROMPT_COMMAND=__apex_prompt
fi
case $PS0 in
*133\;C*) ;;
*) PS0=$PS0'\e]133;C\a' ;;
esac
