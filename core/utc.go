package core

import "fmt"

// UTC prints a time for people, to the second: 2026-11-30 23:19:42 UTC.
func (m Millis) UTC() string {
	s := uint64(m) / 1000
	year, month, day := civil(s / 86_400)
	s %= 86_400
	return fmt.Sprintf("%04d-%02d-%02d %02d:%02d:%02d UTC", year, month, day, s/3600, s/60%60, s%60)
}

// civil returns the date that is so many days after 1 January 1970, in the Gregorian calendar. It
// counts in years that begin in March, so that the day that leap years add is a year's last.
func civil(days uint64) (year, month, day uint64) {
	const (
		toMarch0 = 719_468 // days from 1 March of the year 0 to 1 January 1970
		era      = 146_097 // days of 400 years, after which the calendar is the same
	)
	days += toMarch0
	inEra := days % era
	years := (inEra - inEra/1_460 + inEra/36_524 - inEra/146_096) / 365
	inYear := inEra - (365*years + years/4 - years/100)
	march := (5*inYear + 2) / 153 // months since March
	year, day = years+days/era*400, inYear-(153*march+2)/5+1
	if march < 10 {
		return year, march + 3, day
	}
	return year + 1, march - 9, day
}
