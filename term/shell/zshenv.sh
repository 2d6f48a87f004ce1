# Started by apex in place of ~/.zshenv, which it runs; then it makes zsh mark its prompts and the
# output of commands (OSC 133), and tell its directory (OSC 7).
if [[ -n $APEX_ZDOTDIR ]]; then
	ZDOTDIR=$APEX_ZDOTDIR
else
	unset ZDOTDIR
fi
unset APEX_ZDOTDIR
[[ -r ${ZDOTDIR:-$HOME}/.zshenv ]] && . "${ZDOTDIR:-$HOME}/.zshenv"

if [[ -o interactive ]]; then
	__apex_precmd() {
		local last=$?
		[[ -n $__apex_ran ]] && printf '\033]133;D;%s\007' $last
		__apex_ran=1
		printf '\033]7;file://%s%s\007' "$HOST" "${PWD//\%/%25}"
		[[ $PS1 == *133\;A* ]] || PS1=$'%{\e]133;A\a%}'$PS1$'%{\e]133;B\a%}'
	}
	__apex_preexec() { printf '\033]133;C\007' }
	autoload -Uz add-zsh-hook
	add-zsh-hook precmd __apex_precmd
	add-zsh-hook preexec __apex_preexec
fi
